import { Anchor, Text } from '@mantine/core'
import type { DataTableColumn } from 'mantine-datatable'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useChargeTexts } from '../../shared/charges/texts.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { NOT_NARROW, WIDE } from '../../shared/ui/lists/paged-table.tsx'
import { StatusBadge } from '../../shared/ui/status-badge.tsx'
import type { Attempt } from './queries.ts'
import { useBillingTexts } from './texts.ts'

export function useColumns(): DataTableColumn<Attempt>[] {
  const { id: store, timezone } = useKnownStore()
  const texts = useBillingTexts()
  const { attemptStatuses } = useTexts()
  const { errors } = useChargeTexts()
  const { money } = useFormats()
  const { columns } = texts
  return [
    {
      accessor: 'date',
      title: columns.date,
      noWrap: true,
      render: ({ id, date }) => (
        <Anchor component={Link} to={`/stores/${store}/billing/${id}`} size="sm" fw={500}>
          <Instant at={date} zone={timezone} dayOnly />
        </Anchor>
      )
    },
    {
      accessor: 'subscription_id',
      title: columns.subscription,
      visibleMediaQuery: NOT_NARROW,
      render: ({ subscription_id }) => (
        <Anchor component={Link} to={`/stores/${store}/subscriptions/${subscription_id}`} size="sm">
          {subscription_id}
        </Anchor>
      )
    },
    {
      accessor: 'amount',
      title: columns.amount,
      textAlign: 'right',
      render: ({ amount, currency }) => money(amount, currency)
    },
    {
      accessor: 'status',
      title: columns.status,
      render: ({ status }) => <StatusBadge status={status} names={attemptStatuses} />
    },
    {
      accessor: 'error_code',
      title: columns.why,
      visibleMediaQuery: WIDE,
      render: ({ error_code }) =>
        error_code === null ? '–' : <Text size="sm">{errors[error_code] ?? error_code}</Text>
    },
    {
      accessor: 'retry_date',
      title: columns.next,
      noWrap: true,
      visibleMediaQuery: NOT_NARROW,
      render: ({ retry_date }) => <Instant at={retry_date} zone={timezone} dayOnly />
    }
  ]
}
