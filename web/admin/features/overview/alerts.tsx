import { List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { alertsQuery } from './queries.ts'
import { useOverviewTexts } from './texts.ts'

/** What the service has told the people who run the store, the newest first. */
export function Alerts() {
  const { id, timezone } = useKnownStore()
  const alerts = useQuery(alertsQuery(id))
  const texts = useOverviewTexts()
  return (
    <Section title={texts.alerts}>
      <QueryView query={alerts}>
        {(known) =>
          known.length === 0 ? (
            <EmptyState title={texts.noAlerts} text={texts.noAlertsText} />
          ) : (
            <List listStyleType="none" spacing="md">
              {known.map((alert) => (
                <List.Item key={alert.id}>
                  <Stack gap={2}>
                    <Text fw={500} className="wrap-anywhere">
                      {alert.subject}
                    </Text>
                    <Text size="sm" className="wrap-anywhere lines">
                      {alert.message}
                    </Text>
                    <Text size="xs" c="dimmed">
                      <Instant at={alert.created_at} zone={timezone} />
                    </Text>
                  </Stack>
                </List.Item>
              ))}
            </List>
          )
        }
      </QueryView>
    </Section>
  )
}
