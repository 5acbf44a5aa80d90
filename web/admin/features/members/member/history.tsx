import { Anchor, Button, Text, Timeline } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { components } from '../../../shared/api/schema.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useHistory } from '../../../shared/history/use-history.ts'
import { useLedgerReason } from '../../../shared/texts/ledger-reasons.ts'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { timelineQuery } from '../queries.ts'
import { useMemberTexts } from './texts.ts'

type Entry = components['schemas']['TimelineEntry']

/** Everything that happened to a customer, newest first. */
export function History({ customer }: { customer: string }) {
  const { id } = useKnownStore()
  const timeline = useInfiniteQuery(timelineQuery(id, customer))
  const texts = useMemberTexts()
  return (
    <Section title={texts.history}>
      <QueryView query={timeline}>
        {({ pages }) => {
          const entries = pages.flatMap(({ data }) => data)
          if (entries.length === 0) return <Text c="dimmed">{texts.noHistory}</Text>
          return (
            <>
              <Timeline bulletSize={12} lineWidth={2}>
                {entries.map((entry) => (
                  <Timeline.Item key={entry.id}>
                    <What entry={entry} />
                  </Timeline.Item>
                ))}
              </Timeline>
              {timeline.hasNextPage && (
                <Button
                  variant="default"
                  size="xs"
                  loading={timeline.isFetchingNextPage}
                  onClick={() => timeline.fetchNextPage()}
                >
                  {texts.more}
                </Button>
              )}
            </>
          )
        }}
      </QueryView>
    </Section>
  )
}

function What({ entry }: { entry: Entry }) {
  const { id: store, timezone } = useKnownStore()
  const texts = useMemberTexts()
  const { money, count } = useFormats()
  const { sentence, doer } = useHistory()
  const ledgerReason = useLedgerReason()
  const what = ({ kind, text, activity }: Entry) => {
    if (activity) return sentence({ ...activity, text })
    return kind === 'credit' || kind === 'points' ? ledgerReason(text) : text
  }
  const { kind, notes, object, amount, currency, points } = entry
  const moved = points !== null ? count(points) : amount !== null && currency !== null ? money(amount, currency) : null
  const to = pathOf(entry)
  return (
    <>
      <Text size="sm" className="wrap-anywhere">
        <Text span inherit c="dimmed">
          {texts.kinds[kind] ?? kind}:
        </Text>{' '}
        {what(entry)}
        {moved !== null && ` · ${moved}`}
        {to !== null && (
          <>
            {' · '}
            <Anchor component={Link} to={`/stores/${store}/${to}`} size="sm" underline="always">
              {object}
            </Anchor>
          </>
        )}
      </Text>
      {notes && (
        <Text size="sm" c="dimmed" className="wrap-anywhere lines">
          {notes}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        <Instant at={entry.at} zone={timezone} />
        {entry.actor !== null && ` · ${doer(entry)}`}
      </Text>
    </>
  )
}

/** Where what an entry is about has its page. */
function pathOf({ kind, object }: Entry): string | null {
  if (object === null || kind === 'coupon') return null
  return kind === 'subscription' || kind === 'offer' ? `subscriptions/${object}` : `orders/${object}`
}
