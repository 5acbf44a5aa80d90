import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { FilterBar } from '../../shared/ui/lists/filter-bar.tsx'
import { FindField } from '../../shared/ui/lists/find-field.tsx'
import { OlderLink, useBefore } from '../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { type OrderSummary, ordersQuery } from './queries.ts'
import { useOrdersTexts } from './texts.ts'

/** All orders that the service knows. */
export function OrdersPage() {
  const { id } = useKnownStore()
  const [{ customer }, change] = useSearchFilters(['customer'])
  const orders = useQuery(ordersQuery(id, customer, useBefore()))
  const texts = useOrdersTexts()
  const { pages } = useTexts()

  return (
    <Page title={pages.orders}>
      <FilterBar
        label={texts.filters}
        clearLabel={texts.clear}
        isFiltered={customer !== ''}
        onClear={() => change({ customer: '' })}
      >
        <FindField
          label={texts.customer}
          description={texts.customerHelp}
          findLabel={texts.find}
          maxLength={330}
          value={customer}
          onFind={(found) => change({ customer: found })}
        />
      </FilterBar>
      <QueryView query={orders} height={400}>
        {({ data, next }) =>
          data.length === 0 ? (
            <EmptyState
              title={customer === '' ? texts.none : texts.nothingFound}
              text={customer === '' ? texts.noneText : texts.nothingFoundText}
            />
          ) : (
            <>
              <Orders orders={data} />
              <OlderLink next={next} />
            </>
          )
        }
      </QueryView>
    </Page>
  )
}

function Orders({ orders }: { orders: OrderSummary[] }) {
  const { id: store, timezone } = useKnownStore()
  const { columns, list } = useOrdersTexts()
  const { money } = useFormats()
  return (
    <PlainTable
      label={list}
      rows={orders}
      keyOf={({ id }) => id}
      empty=""
      columns={[
        {
          title: columns.order,
          cell: ({ id, name }) => (
            <Anchor component={Link} to={`/stores/${store}/orders/${id}`} size="sm" fw={500}>
              {name}
            </Anchor>
          )
        },
        {
          title: columns.customer,
          cell: ({ customer_id, customer_name, email }) =>
            customer_id === null ? (
              (email ?? '–')
            ) : (
              <Anchor
                component={Link}
                to={`/stores/${store}/members/${customer_id}`}
                size="sm"
                className="wrap-anywhere"
                lineClamp={1}
              >
                {customer_name ?? email ?? customer_id}
              </Anchor>
            )
        },
        { title: columns.placed, cell: ({ processed_at }) => <Instant at={processed_at} zone={timezone} /> },
        { title: columns.total, isNumber: true, cell: ({ total, currency }) => money(total, currency) },
        { title: columns.payment, cell: ({ financial_status }) => financial_status },
        { title: columns.channel, cell: ({ channel }) => channel ?? '–' },
        { title: columns.dispute, cell: ({ dispute_status }) => dispute_status ?? '–' }
      ]}
    />
  )
}
