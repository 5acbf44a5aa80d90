import { Anchor, Button, Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { OlderLink } from '../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { type Filters, type LoggedEvent, latestEventsQuery, olderEventsQuery } from './queries.ts'
import { aboutOf } from './subjects.ts'
import { useWorkbenchTexts } from './texts.ts'

/** The newest events, which grow by themselves until somebody pauses them. */
export function LatestEvents({
  filters,
  isLive,
  setLive
}: {
  filters: Filters
  isLive: boolean
  setLive: (isLive: boolean) => void
}) {
  const { id } = useKnownStore()
  const latest = useQuery(latestEventsQuery(id, filters, isLive))
  const texts = useWorkbenchTexts()
  const { count } = useFormats()
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <Section title={texts.events}>
      <Group justify="space-between">
        <Text size="sm">
          {isLive ? texts.live : texts.paused}
          {latest.data && ` · ${texts.total(count(latest.data.total))}`}
        </Text>
        <Button variant="default" size="xs" onClick={() => setLive(!isLive)}>
          {isLive ? texts.pause : texts.goOn}
        </Button>
      </Group>
      <QueryView query={latest} height={400}>
        {({ events, nextBefore }) => (
          <>
            {events.length === 0 ? (
              <EmptyState
                title={isFiltered ? texts.noMatch : texts.noEvents}
                text={isFiltered ? texts.noMatchText : texts.noEventsText}
              />
            ) : (
              <Events events={events} />
            )}
            <OlderLink next={nextBefore === null ? null : String(nextBefore)} />
          </>
        )}
      </QueryView>
    </Section>
  )
}

export function OlderEvents({ filters, before }: { filters: Filters; before: number }) {
  const { id } = useKnownStore()
  const older = useQuery(olderEventsQuery(id, filters, before))
  const texts = useWorkbenchTexts()
  return (
    <Section title={texts.older}>
      <QueryView query={older} height={400}>
        {({ events, nextBefore }) => (
          <>
            {events.length === 0 ? (
              <EmptyState title={texts.noMatch} text={texts.noMatchText} />
            ) : (
              <Events events={events} />
            )}
            <OlderLink next={nextBefore === null ? null : String(nextBefore)} />
          </>
        )}
      </QueryView>
    </Section>
  )
}

function Events({ events }: { events: LoggedEvent[] }) {
  const { timezone } = useKnownStore()
  const [search] = useSearchParams()
  const texts = useWorkbenchTexts()
  // Beside the list the chosen one is in view; above it, it is at the top of the page.
  const isBeside = useMediaQuery('(min-width: 62em)')
  const { columns } = texts
  const choose = (sequence: number) => {
    const changed = new URLSearchParams(search)
    changed.set('sequence', String(sequence))
    return { search: changed.toString() }
  }
  return (
    <PlainTable
      label={texts.events}
      rows={events}
      keyOf={({ id }) => id}
      empty=""
      columns={[
        {
          title: columns.type,
          cell: ({ sequence, event }) => (
            <Anchor
              component={Link}
              to={choose(sequence)}
              preventScrollReset={isBeside}
              size="sm"
              aria-current={search.get('sequence') === String(sequence) ? 'true' : undefined}
              className="chosen-one"
            >
              {event}
            </Anchor>
          )
        },
        {
          title: columns.about,
          cell: (event) => (
            <Text size="sm" lineClamp={1} className="wrap-anywhere" miw={110} maw={260}>
              {aboutOf(event)}
            </Text>
          )
        },
        { title: columns.at, cell: ({ timestamp }) => <Instant at={timestamp} zone={timezone} /> },
        { title: columns.sequence, isNumber: true, cell: ({ sequence }) => sequence }
      ]}
    />
  )
}
