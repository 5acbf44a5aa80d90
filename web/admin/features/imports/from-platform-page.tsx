import { useTexts } from '../../shared/texts/language.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { OrderImport } from './platform/order-import.tsx'
import { ReadIn } from './platform/read-in.tsx'
import { Tabs } from './tabs.tsx'

/** What the shop had on its platform before it was connected, and orders that are missing here. */
export function FromPlatformPage() {
  const { pages } = useTexts()
  return (
    <Page title={pages.imports}>
      <Tabs />
      <ReadIn />
      <OrderImport />
    </Page>
  )
}
