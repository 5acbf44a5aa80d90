import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useChange } from '../../../shared/api/use-change.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { May } from '../../../shared/session/may.tsx'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { type Connection, checkConnection, connectionQuery } from './queries.ts'
import { usePlatformTexts } from './texts.ts'

export function ConnectionFacts() {
  const { id } = useKnownStore()
  const connection = useQuery(connectionQuery(id))
  const texts = usePlatformTexts()
  const { count } = useFormats()
  const check = useChange({
    change: () => checkConnection(id),
    done: ({ changed, messages_retried }) => texts.checked(count(changed), count(messages_retried))
  })
  return (
    <Section title={texts.connection}>
      <QueryView query={connection}>
        {(known) => (
          <>
            <FactList
              facts={[
                [texts.shop, known.domain],
                [texts.state, <StatusBadge key="state" status={known.status} names={texts.states} />],
                [texts.token, known.status === 'active' && <Token key="token" connection={known} />]
              ]}
            />
            {known.status === 'disconnected' && <Text size="sm">{texts.disconnectedText}</Text>}
          </>
        )}
      </QueryView>
      <May permission="develop">
        <Group>
          <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.start()}>
            {texts.check}
          </Button>
          <Text size="xs" c="dimmed" flex={1} miw={220}>
            {texts.checkHelp}
          </Text>
        </Group>
      </May>
    </Section>
  )
}

function Token({ connection }: { connection: Connection }) {
  const { timezone } = useKnownStore()
  const texts = usePlatformTexts()
  const { token_expires_at, refresh_token_expires_at, token_refused_at, refresh_error } = connection
  return (
    <Stack gap={2}>
      {token_refused_at && (
        <span className="bad-news">
          {texts.tokenRefused} <Instant at={token_refused_at} zone={timezone} />
        </span>
      )}
      {token_expires_at ? (
        <span>
          {texts.tokenUntil} <Instant at={token_expires_at} zone={timezone} />
        </span>
      ) : (
        <span>{texts.tokenForever}</span>
      )}
      {refresh_token_expires_at && (
        <span>
          {texts.tokenRenewed} <Instant at={refresh_token_expires_at} zone={timezone} />
        </span>
      )}
      {refresh_error && (
        <span className="bad-news">
          {texts.refreshError}: {refresh_error}
        </span>
      )}
    </Stack>
  )
}
