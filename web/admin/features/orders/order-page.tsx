import { Alert, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { BackLink } from '../../shared/ui/back-link.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Details } from './details.tsx'
import { Disputes, Ledger, Lines, Movements, Subscriptions } from './parts.tsx'
import { orderQuery } from './queries.ts'
import { useOrdersTexts } from './texts.ts'

/** One order: what was bought, what was paid and paid back, and what followed from it. */
export function OrderPage() {
  const { id: store } = useKnownStore()
  const { order: id = '' } = useParams()
  const found = useQuery(orderQuery(store, id))
  const texts = useOrdersTexts()
  return (
    <Stack gap="sm">
      <BackLink to={`/stores/${store}/orders`} label={texts.toList} />
      <QueryView query={found} height={400}>
        {(order) => (
          <Page title={`${texts.columns.order} ${order.name}`}>
            {!order.is_complete && (
              <Alert color="blue" variant="outline">
                {texts.incomplete}
              </Alert>
            )}
            <Details order={order} />
            <Lines order={order} />
            <Movements order={order} />
            <Subscriptions order={order} />
            <Ledger order={order} />
            <Disputes order={order} />
          </Page>
        )}
      </QueryView>
    </Stack>
  )
}
