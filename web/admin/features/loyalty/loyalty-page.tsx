import { useParams } from 'react-router'
import { useTexts } from '../../shared/texts/language.tsx'
import { NoSuchPart } from '../../shared/ui/no-such-part.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { PageTabs } from '../../shared/ui/page-tabs.tsx'
import { DryRun } from './dry-run.tsx'
import { Coupons } from './lists/coupons.tsx'
import { Referrals } from './lists/referrals.tsx'
import { RenewalRewards } from './lists/renewal-rewards.tsx'
import { Receipts } from './receipts/receipts.tsx'
import { Rules } from './rules/rules.tsx'
import { Templates } from './templates/templates.tsx'
import { useLoyaltyTexts } from './texts.ts'
import { Tiers } from './tiers/tiers.tsx'

const PARTS = {
  '': Rules,
  'dry-run': DryRun,
  tiers: Tiers,
  templates: Templates,
  coupons: Coupons,
  renewals: RenewalRewards,
  receipts: Receipts,
  referrals: Referrals
}

/** For what customers earn points and rewards, and what they have of it. */
export function LoyaltyPage() {
  const { part = '' } = useParams()
  const texts = useLoyaltyTexts()
  const { pages } = useTexts()
  const Part = Object.hasOwn(PARTS, part) ? PARTS[part as keyof typeof PARTS] : NoSuchPart
  const tabs = Object.entries(texts.part).map(([path, name]) => ({ path: path ? `loyalty/${path}` : 'loyalty', name }))
  return (
    <Page title={pages.loyalty}>
      <PageTabs label={texts.parts} tabs={tabs} />
      <Part />
    </Page>
  )
}
