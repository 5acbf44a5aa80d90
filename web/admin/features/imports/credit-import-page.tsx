import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { ImportFile } from './balances/import-file.tsx'
import { sendCredit } from './balances/send-balances.ts'
import { useBalancesTexts } from './balances/texts.ts'
import { Tabs } from './tabs.tsx'

/** Store credit that customers bring with them from another service. */
export function CreditImportPage() {
  const { currency } = useKnownStore()
  const { pages } = useTexts()
  const { credit: texts } = useBalancesTexts()
  const { count, money } = useFormats()
  return (
    <Page title={pages.imports}>
      <Tabs />
      <ImportFile
        texts={texts}
        send={sendCredit}
        hasEffect={({ added }) => added > 0}
        facts={({ added, amount }) => [
          [texts.added, count(added)],
          [texts.amount, money(amount, currency)]
        ]}
      />
    </Page>
  )
}
