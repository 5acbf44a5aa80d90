import { useFormats } from '../../shared/format/formats.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { ImportFile } from './balances/import-file.tsx'
import { sendLoyalty } from './balances/send-balances.ts'
import { useBalancesTexts } from './balances/texts.ts'
import { Tabs } from './tabs.tsx'

/** Points, tiers and birth dates that customers bring with them from another service. */
export function LoyaltyImportPage() {
  const { pages } = useTexts()
  const { loyalty: texts } = useBalancesTexts()
  const { count } = useFormats()
  return (
    <Page title={pages.imports}>
      <Tabs />
      <ImportFile
        texts={texts}
        send={sendLoyalty}
        hasEffect={({ imported }) => imported > 0}
        facts={({ imported, points, tiers, birth_dates }) => [
          [texts.imported, count(imported)],
          [texts.points, count(points)],
          [texts.tiers, count(tiers)],
          [texts.birthDates, count(birth_dates)]
        ]}
      />
    </Page>
  )
}
