import { Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { activityQuery } from './queries.ts'
import { useSubscriptionsTexts } from './texts.ts'

/** What happened to a subscription, the newest first, and who did it. */
export function History({ subscription }: { subscription: string }) {
  const { id, timezone } = useKnownStore()
  const activity = useQuery(activityQuery(id, subscription))
  const texts = useSubscriptionsTexts()
  return (
    <Section title={texts.history}>
      <QueryView query={activity}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{texts.noHistory}</Text>
          ) : (
            <Timeline bulletSize={12} lineWidth={2}>
              {data.map(({ id, text, notes, actor, created_at }) => (
                <Timeline.Item key={id}>
                  <Text size="sm" className="wrap-anywhere">
                    {text}
                  </Text>
                  {notes && (
                    <Text size="sm" c="dimmed" className="wrap-anywhere lines">
                      {notes}
                    </Text>
                  )}
                  <Text size="xs" c="dimmed">
                    <Instant at={created_at} zone={timezone} /> · {texts.actors[actor] ?? actor}
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
