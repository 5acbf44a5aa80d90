import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { StatusBadge } from '../../shared/ui/status-badge.tsx'
import { attemptsQuery } from './queries.ts'
import { useSubscriptionsTexts } from './texts.ts'

/** The charges of a subscription, each a link to what came of it. */
export function Attempts({ subscription }: { subscription: string }) {
  const { id: store, timezone } = useKnownStore()
  const attempts = useQuery(attemptsQuery(store, subscription))
  const texts = useSubscriptionsTexts()
  const { attemptStatuses } = useTexts()
  const { money, count } = useFormats()
  const { attemptColumns: columns } = texts
  return (
    <Section title={texts.attempts}>
      <QueryView query={attempts}>
        {({ data }) => (
          <PlainTable
            label={texts.attempts}
            rows={data}
            keyOf={({ id }) => id}
            empty={texts.noAttempts}
            columns={[
              {
                title: columns.date,
                cell: ({ id, date }) => (
                  <Anchor component={Link} to={`/stores/${store}/billing/${id}`} size="sm">
                    <Instant at={date} zone={timezone} />
                  </Anchor>
                )
              },
              {
                title: columns.cycle,
                cell: (row) => texts.attemptOf(count(row.cycle_index), count(row.attempt_number))
              },
              { title: columns.amount, isNumber: true, cell: ({ amount, currency }) => money(amount, currency) },
              {
                title: columns.status,
                cell: ({ status }) => <StatusBadge status={status} names={attemptStatuses} />
              },
              { title: columns.next, cell: ({ retry_date }) => <Instant at={retry_date} zone={timezone} /> }
            ]}
          />
        )}
      </QueryView>
    </Section>
  )
}
