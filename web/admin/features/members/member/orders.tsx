import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { PlainTable } from '../../../shared/ui/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { ordersQuery } from '../queries.ts'
import { useMemberTexts } from './texts.ts'

/** The latest orders of a customer. */
export function Orders({ customer }: { customer: string }) {
  const { id, timezone } = useKnownStore()
  const orders = useQuery(ordersQuery(id, customer))
  const texts = useMemberTexts()
  const { money } = useFormats()
  return (
    <Section title={texts.orders}>
      <QueryView query={orders}>
        {(rows) => (
          <PlainTable
            label={texts.orders}
            rows={rows}
            keyOf={(order) => order.id}
            empty={texts.noOrders}
            columns={[
              {
                title: texts.order,
                cell: (order) => (
                  <Anchor component={Link} to={`/stores/${id}/orders/${order.id}`} size="sm">
                    {order.name}
                  </Anchor>
                )
              },
              { title: texts.when, cell: (order) => <Instant at={order.processed_at} zone={timezone} /> },
              { title: texts.payment, cell: (order) => order.financial_status },
              { title: texts.total, isNumber: true, cell: ({ total, currency }) => money(total, currency) }
            ]}
          />
        )}
      </QueryView>
    </Section>
  )
}
