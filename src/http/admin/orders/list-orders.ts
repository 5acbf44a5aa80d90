import { Type } from 'typebox'
import { lookUpCustomers } from '#members'
import { listOrderCredit } from '#order-effects'
import { findOrderId, listOrders } from '#orders'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../../shared/parse-customer.ts'
import type { Surface } from '../../shared/surface.ts'
import { severalWithAddress } from '../customers/several-with-address.ts'
import { Page, PageLimit, platformNumber, text } from '../fields.ts'
import { requestStoreOf, StoreParams, storeOf } from '../store.ts'
import { orderNotFound } from './order-not-found.ts'
import { OrderSummaryBody, presentOrderSummary } from './present-order-summary.ts'

const DEFAULT_LIMIT = 50

/** GET /stores/{store}/orders */
export function listOrdersRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/orders',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listOrders',
        summary: 'List orders',
        description:
          'All orders that the service knows, plain ones of the shop too; the last one to become known first.',
        params: StoreParams,
        querystring: Type.Object({
          customer: Type.Optional(
            text(330, ACCEPTED_CUSTOMER, {
              meaning: 'Only the orders of this customer; an address that several have is an error',
              examples: ['cust_7']
            })
          ),
          before: Type.Optional(platformNumber('the last order of the page before', 'The list goes on after it')),
          limit: PageLimit
        }),
        response: { 200: Page(OrderSummaryBody, 'The orders') }
      }
    },
    async (request) => {
      const { customer, before, limit = DEFAULT_LIMIT } = request.query
      const { profile } = requestStoreOf(request)
      const reference = customer === undefined ? null : parseCustomer('customer', customer, profile)
      const { orders, credit } = await request.inStore(async (ctx) => {
        const named = reference && (await lookUpCustomers(ctx, [reference]))[0]!
        if (named && named.length > 1) throw severalWithAddress(customer!)
        if (named?.length === 0) return { orders: [], credit: new Map() }
        const memberId = named?.[0]?.id ?? null
        const lastId = before === undefined ? null : await findOrderId(ctx, before, profile)
        if (before !== undefined && lastId === null) throw orderNotFound(before)
        const found = await listOrders(ctx, { before: lastId, memberId, limit: limit + 1 })
        return {
          orders: found,
          credit: await listOrderCredit(
            ctx,
            found.map(({ id }) => id)
          )
        }
      })
      const data = orders
        .slice(0, limit)
        .map((order) => presentOrderSummary(order, credit.get(order.id), storeOf(request).currency))
      return { data, next: orders.length > limit ? data.at(-1)!.id : null }
    }
  )
}
