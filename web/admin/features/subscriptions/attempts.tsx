import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { components } from '../../shared/api/schema.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useChargeTexts } from '../../shared/charges/texts.ts'
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
  const { errors } = useChargeTexts()
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
              {
                title: columns.why,
                cell: ({ error_code }) => (error_code === null ? '–' : (errors[error_code] ?? error_code))
              },
              {
                title: columns.next,
                // Of a try that another one has followed it says no more.
                cell: (row) => <Instant at={isLastOf(row, data) ? row.retry_date : null} zone={timezone} />
              }
            ]}
          />
        )}
      </QueryView>
    </Section>
  )
}

type Attempt = components['schemas']['BillingAttempt']

/** Whether no later try of its cycle is known. */
const isLastOf = ({ cycle_index, attempt_number }: Attempt, all: Attempt[]) =>
  !all.some((one) => one.cycle_index === cycle_index && one.attempt_number > attempt_number)
