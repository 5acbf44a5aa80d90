import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Store, useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { CopyId } from '../../../shared/ui/copy-id.tsx'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { appQuery, type Connection, connectionQuery } from './queries.ts'
import { usePlatformTexts } from './texts.ts'

const PATH = '/apps/svc-api'

/** A shop of the sandbox has no domain of its own. */
const shopOf = ({ sandbox, platform_url, domain }: Store) => (sandbox ? platform_url : `https://${domain}`)

/** How the storefront reaches the service. */
export function AppProxy() {
  const store = useKnownStore()
  const app = useQuery(appQuery)
  const connection = useQuery(connectionQuery(store.id))
  const texts = usePlatformTexts()
  const address = `${shopOf(store)}${PATH}`
  return (
    <Section title={texts.proxy}>
      <Text size="sm">{texts.proxyText}</Text>
      <QueryView query={app} height={80}>
        {({ public_url }) => (
          <FactList
            facts={[
              [texts.proxyFrom, <CopyId key="from" value={address} />],
              [texts.proxyTo, <CopyId key="to" value={`${public_url}${PATH}`} />],
              [texts.proxyUsed, connection.data && <LastUse key="used" connection={connection.data} />]
            ]}
          />
        )}
      </QueryView>
      <Text size="sm">
        <Anchor href={`${address}/v1/loyalty/rules`} target="_blank" rel="noreferrer" size="sm" underline="always">
          {texts.proxyTry}
        </Anchor>
      </Text>
      <Text size="xs" c="dimmed">
        {texts.proxyTryText}
      </Text>
    </Section>
  )
}

function LastUse({ connection: { proxy_used_at } }: { connection: Connection }) {
  const { timezone } = useKnownStore()
  const texts = usePlatformTexts()
  return proxy_used_at ? <Instant at={proxy_used_at} zone={timezone} /> : texts.proxyNeverUsed
}
