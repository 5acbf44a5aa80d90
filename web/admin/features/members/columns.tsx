import { Anchor, Text } from '@mantine/core'
import type { DataTableColumn } from 'mantine-datatable'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { StatusBadges } from '../../shared/charges/status-badges.tsx'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { NOT_NARROW, WIDE } from '../../shared/ui/lists/paged-table.tsx'
import type { Member } from './queries.ts'
import { useMembersTexts } from './texts.ts'

export function useColumns(): DataTableColumn<Member>[] {
  const { id: storeId, timezone } = useKnownStore()
  const texts = useMembersTexts()
  const { money, count } = useFormats()
  const { columns } = texts
  return [
    {
      accessor: 'name',
      title: columns.member,
      render: ({ name, email, platform_customer_id }) => (
        <div className="wrap-anywhere">
          <Anchor
            component={Link}
            to={`/stores/${storeId}/members/${platform_customer_id}`}
            fw={500}
            size="sm"
            lineClamp={2}
          >
            {name ?? email ?? texts.withoutName}
          </Anchor>
          {name !== null && (
            <Text size="sm" c="dimmed">
              {email}
            </Text>
          )}
        </div>
      )
    },
    {
      accessor: 'status',
      title: columns.status,
      render: ({ status, has_unpaid_cycle }) => (
        <StatusBadges status={status} names={texts.statuses} isUnpaid={has_unpaid_cycle} />
      )
    },
    {
      accessor: 'plan_name',
      title: columns.plan,
      visibleMediaQuery: NOT_NARROW,
      render: ({ plan_name }) => plan_name ?? '–'
    },
    {
      accessor: 'loyalty_tier',
      title: columns.loyaltyTier,
      visibleMediaQuery: WIDE,
      render: ({ loyalty_tier }) => loyalty_tier ?? '–'
    },
    {
      accessor: 'loyalty_points',
      title: columns.points,
      textAlign: 'right',
      visibleMediaQuery: WIDE,
      render: ({ loyalty_points }) => count(loyalty_points)
    },
    {
      accessor: 'store_credit_balance',
      title: columns.credit,
      textAlign: 'right',
      visibleMediaQuery: NOT_NARROW,
      render: ({ store_credit_balance, currency }) => money(store_credit_balance, currency)
    },
    {
      accessor: 'member_since',
      title: columns.memberSince,
      noWrap: true,
      visibleMediaQuery: WIDE,
      render: ({ member_since }) => <Instant at={member_since} zone={timezone} dayOnly />
    },
    {
      accessor: 'next_billing_date',
      title: columns.nextBilling,
      noWrap: true,
      visibleMediaQuery: NOT_NARROW,
      render: ({ next_billing_date }) => <Instant at={next_billing_date} zone={timezone} dayOnly />
    }
  ]
}
