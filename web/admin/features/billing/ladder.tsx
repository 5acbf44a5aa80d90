import { Anchor, Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useChargeTexts } from '../../shared/charges/texts.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { type Attempt, ladderQuery } from './queries.ts'
import { useBillingTexts } from './texts.ts'

/** The tries of a cycle in their order, and what is planned. */
export function Ladder({ attempt }: { attempt: Attempt }) {
  const { id: store, timezone } = useKnownStore()
  const ladder = useQuery(ladderQuery(store, attempt))
  const texts = useBillingTexts()
  const { attemptStatuses } = useTexts()
  const { errors } = useChargeTexts()
  const { count } = useFormats()
  return (
    <Section title={texts.ladder}>
      <Text size="sm" c="dimmed">
        {texts.ladderText}
      </Text>
      <QueryView query={ladder}>
        {(tries) => (
          <Timeline bulletSize={12} lineWidth={2} active={tries.length - 1}>
            {tries.map(({ id, date, status, error_code, attempt_number }) => (
              <Timeline.Item key={id} color={status === 'failed' ? 'red.7' : 'teal.7'}>
                <Text size="sm" fw={id === attempt.id ? 600 : 400}>
                  <Anchor component={Link} to={`/stores/${store}/billing/${id}`} size="sm" underline="always">
                    {texts.nth(count(attempt_number))}
                  </Anchor>{' '}
                  · {attemptStatuses[status]}
                  {error_code !== null && `: ${errors[error_code] ?? error_code}`}
                </Text>
                <Text size="xs" c="dimmed">
                  <Instant at={date} zone={timezone} />
                </Text>
              </Timeline.Item>
            ))}
            <Planned last={tries.at(-1)} />
          </Timeline>
        )}
      </QueryView>
    </Section>
  )
}

function Planned({ last }: { last: Attempt | undefined }) {
  const { timezone } = useKnownStore()
  const texts = useBillingTexts()
  const { count } = useFormats()
  if (last?.status !== 'failed') return null
  if (last.retry_date === null) {
    return (
      <Timeline.Item>
        <Text size="sm">{texts.noMoreTries}</Text>
      </Timeline.Item>
    )
  }
  return (
    <Timeline.Item>
      <Text size="sm">
        {texts.scheduled}: <Instant at={last.retry_date} zone={timezone} />
      </Text>
      {last.attempts_remaining > 1 && (
        <Text size="xs" c="dimmed">
          {texts.moreTries(count(last.attempts_remaining - 1))}
        </Text>
      )}
    </Timeline.Item>
  )
}
