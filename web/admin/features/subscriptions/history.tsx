import { Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useHistory } from '../../shared/history/use-history.ts'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { activityQuery } from './queries.ts'
import { useSubscriptionsTexts } from './texts.ts'

/** What happened to a subscription, the newest first, and who did it. */
export function History({ subscription }: { subscription: string }) {
  const { id, timezone } = useKnownStore()
  const activity = useQuery(activityQuery(id, subscription))
  const texts = useSubscriptionsTexts()
  const { sentence, doer } = useHistory()
  return (
    <Section title={texts.history}>
      <QueryView query={activity}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{texts.noHistory}</Text>
          ) : (
            <Timeline bulletSize={12} lineWidth={2}>
              {data.map((entry) => (
                <Timeline.Item key={entry.id}>
                  <Text size="sm" className="wrap-anywhere">
                    {sentence(entry)}
                  </Text>
                  {entry.notes && (
                    <Text size="sm" c="dimmed" className="wrap-anywhere lines">
                      {entry.notes}
                    </Text>
                  )}
                  <Text size="xs" c="dimmed">
                    <Instant at={entry.created_at} zone={timezone} /> · {doer(entry)}
                  </Text>
                </Timeline.Item>
              ))}
            </Timeline>
          )
        }
      </QueryView>
    </Section>
  )
}
