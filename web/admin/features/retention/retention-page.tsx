import { useParams } from 'react-router'
import { useTexts } from '../../shared/texts/language.tsx'
import { NoSuchPart } from '../../shared/ui/no-such-part.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { PageTabs } from '../../shared/ui/page-tabs.tsx'
import { AcceptedOffers } from './accepted-offers.tsx'
import { ContractPreview } from './contract-preview.tsx'
import { Offers } from './offers/offers.tsx'
import { Reasons } from './reasons.tsx'
import { SaveRate } from './save-rate.tsx'
import { useRetentionTexts } from './texts.ts'

const PARTS = { '': Offers, reasons: Reasons, preview: ContractPreview, accepted: AcceptedOffers, report: SaveRate }

/** What people who cancel are asked and offered, and what comes of it. */
export function RetentionPage() {
  const { part = '' } = useParams()
  const texts = useRetentionTexts()
  const { pages } = useTexts()
  const Part = Object.hasOwn(PARTS, part) ? PARTS[part as keyof typeof PARTS] : NoSuchPart
  const tabs = Object.entries(texts.part).map(([path, name]) => ({
    path: path ? `retention/${path}` : 'retention',
    name
  }))
  return (
    <Page title={pages.retention}>
      <PageTabs label={texts.parts} tabs={tabs} />
      <Part />
    </Page>
  )
}
