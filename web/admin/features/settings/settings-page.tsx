import { useParams } from 'react-router'
import { useTexts } from '../../shared/texts/language.tsx'
import { NoSuchPart } from '../../shared/ui/no-such-part.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { PageTabs } from '../../shared/ui/page-tabs.tsx'
import { DriftPart } from './drift/drift-part.tsx'
import { isPart } from './parts/declared.ts'
import { SettingsPart } from './parts/settings-part.tsx'
import { StorefrontPart } from './storefront/storefront-part.tsx'
import { useSettingsTexts } from './texts.ts'
import { WalletPart } from './wallet/wallet-part.tsx'

/** How a store works: each tab has an address of its own. */
export function SettingsPage() {
  const { pages } = useTexts()
  const { tabs } = useSettingsTexts()
  const { part = 'billing' } = useParams()
  return (
    <Page title={pages.settings}>
      <PageTabs
        label={pages.settings}
        tabs={[
          { path: 'settings', name: tabs.billing },
          { path: 'settings/customers', name: tabs.customers },
          { path: 'settings/plans', name: tabs.plans },
          { path: 'settings/loyalty', name: tabs.loyalty },
          { path: 'settings/wallet', name: tabs.wallet },
          { path: 'settings/storefront', name: tabs.storefront },
          { path: 'settings/platform', name: tabs.platform }
        ]}
      />
      <Shown part={part} />
    </Page>
  )
}

function Shown({ part }: { part: string }) {
  if (part === 'storefront') return <StorefrontPart />
  if (part === 'platform') return <DriftPart />
  if (part === 'wallet') return <WalletPart />
  return isPart(part) ? <SettingsPart key={part} part={part} /> : <NoSuchPart />
}
