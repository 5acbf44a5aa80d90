import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { StatusBadges } from '../../../shared/charges/status-badges.tsx'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { subscriptionsQuery } from '../queries.ts'
import { useMembersTexts } from '../texts.ts'
import { useMemberTexts } from './texts.ts'

export function Subscriptions({ customer }: { customer: string }) {
  const { id, timezone } = useKnownStore()
  const subscriptions = useQuery(subscriptionsQuery(id, customer))
  const texts = useMemberTexts()
  const { columns } = useMembersTexts()
  const { subscriptionStatuses } = useTexts()
  const { money } = useFormats()
  return (
    <Section title={texts.subscriptions}>
      <QueryView query={subscriptions}>
        {(rows) => (
          <PlainTable
            label={texts.subscriptions}
            rows={rows}
            keyOf={(row) => row.id}
            empty={texts.noSubscriptions}
            columns={[
              {
                title: texts.subscription,
                cell: (row) => (
                  <Anchor component={Link} to={`/stores/${id}/subscriptions/${row.id}`} size="sm">
                    {row.plan_name}
                  </Anchor>
                )
              },
              {
                title: columns.status,
                cell: ({ status, unpaid_cycle }) => (
                  <StatusBadges status={status} names={subscriptionStatuses} isUnpaid={unpaid_cycle !== null} />
                )
              },
              { title: texts.price, isNumber: true, cell: ({ price, currency }) => money(price, currency) },
              {
                title: texts.nextBilling,
                cell: (row) => <Instant at={row.next_billing_date} zone={timezone} dayOnly />
              }
            ]}
          />
        )}
      </QueryView>
    </Section>
  )
}
