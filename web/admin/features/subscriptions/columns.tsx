import { Anchor, Text } from '@mantine/core'
import type { DataTableColumn } from 'mantine-datatable'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { StatusBadges } from '../../shared/charges/status-badges.tsx'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { NOT_NARROW, WIDE } from '../../shared/ui/lists/paged-table.tsx'
import type { Subscription } from './queries.ts'
import { useSubscriptionsTexts } from './texts.ts'

export function useColumns(): DataTableColumn<Subscription>[] {
  const { id: store, timezone } = useKnownStore()
  const texts = useSubscriptionsTexts()
  const { subscriptionStatuses } = useTexts()
  const { money, count } = useFormats()
  const { columns } = texts
  return [
    {
      accessor: 'plan_name',
      title: columns.subscription,
      render: ({ id, plan_name, email, customer_id }) => (
        <div className="wrap-anywhere">
          <Anchor component={Link} to={`/stores/${store}/subscriptions/${id}`} fw={500} size="sm" lineClamp={2}>
            {plan_name}
          </Anchor>
          <Text size="sm" c="dimmed" lineClamp={1}>
            {email || customer_id}
          </Text>
        </div>
      )
    },
    {
      accessor: 'status',
      title: columns.status,
      render: ({ status, unpaid_cycle }) => (
        <StatusBadges status={status} names={subscriptionStatuses} isUnpaid={unpaid_cycle !== null} />
      )
    },
    {
      accessor: 'price',
      title: columns.price,
      textAlign: 'right',
      visibleMediaQuery: NOT_NARROW,
      render: ({ price, currency }) => money(price, currency)
    },
    {
      accessor: 'cycle_index',
      title: columns.cycle,
      textAlign: 'right',
      visibleMediaQuery: WIDE,
      render: ({ cycle_index, max_cycles }) =>
        texts.paidCycles(count(cycle_index), max_cycles === null ? null : count(max_cycles))
    },
    {
      accessor: 'next_billing_date',
      title: columns.nextBilling,
      noWrap: true,
      visibleMediaQuery: NOT_NARROW,
      render: ({ next_billing_date }) => <Instant at={next_billing_date} zone={timezone} dayOnly />
    },
    {
      accessor: 'created_at',
      title: columns.created,
      noWrap: true,
      visibleMediaQuery: WIDE,
      render: ({ created_at }) => <Instant at={created_at} zone={timezone} dayOnly />
    }
  ]
}
