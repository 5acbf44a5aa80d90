import { Skeleton } from '@mantine/core'
import { type ComponentType, lazy, Suspense } from 'react'
import { useParams } from 'react-router'
import { useTexts } from '../../shared/texts/language.tsx'
import { NoSuchPart } from '../../shared/ui/no-such-part.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { PageTabs } from '../../shared/ui/page-tabs.tsx'
import { useLoyaltyTexts } from './texts.ts'

const part = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }))

/** Each is loaded when it is opened: together they are larger than a page may be. */
const PARTS = {
  '': part(async () => (await import('./rules/rules.tsx')).Rules),
  'dry-run': part(async () => (await import('./dry-run.tsx')).DryRun),
  tiers: part(async () => (await import('./tiers/tiers.tsx')).Tiers),
  templates: part(async () => (await import('./templates/templates.tsx')).Templates),
  coupons: part(async () => (await import('./lists/coupons.tsx')).Coupons),
  renewals: part(async () => (await import('./lists/renewal-rewards.tsx')).RenewalRewards),
  receipts: part(async () => (await import('./receipts/receipts.tsx')).Receipts),
  referrals: part(async () => (await import('./lists/referrals.tsx')).Referrals)
}

/** For what customers earn points and rewards, and what they have of it. */
export function LoyaltyPage() {
  const { part = '' } = useParams()
  const texts = useLoyaltyTexts()
  const { pages, app } = useTexts()
  const Part = Object.hasOwn(PARTS, part) ? PARTS[part as keyof typeof PARTS] : NoSuchPart
  const tabs = Object.entries(texts.part).map(([path, name]) => ({ path: path ? `loyalty/${path}` : 'loyalty', name }))
  return (
    <Page title={pages.loyalty}>
      <PageTabs label={texts.parts} tabs={tabs} />
      <Suspense fallback={<Skeleton height={240} role="status" aria-label={app.loading} />}>
        <Part />
      </Suspense>
    </Page>
  )
}
