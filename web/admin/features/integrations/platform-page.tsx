import { Text } from '@mantine/core'
import { useTexts } from '../../shared/texts/language.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { AppProxy } from './platform/app-proxy.tsx'
import { ConnectForms } from './platform/connect-forms.tsx'
import { ConnectionFacts } from './platform/connection-facts.tsx'
import { Discounts } from './platform/discounts.tsx'
import { PlatformWebhooks } from './platform/platform-webhooks.tsx'
import { Scopes } from './platform/scopes.tsx'
import { usePlatformTexts } from './platform/texts.ts'
import { Tabs } from './tabs.tsx'

/** How the store is connected to its platform. */
export function PlatformPage() {
  const { lead } = usePlatformTexts()
  const { pages } = useTexts()
  return (
    <Page title={pages.integrations}>
      <Tabs />
      <Text>{lead}</Text>
      <ConnectionFacts />
      <ConnectForms />
      <Scopes />
      <AppProxy />
      <Discounts />
      <PlatformWebhooks />
    </Page>
  )
}
