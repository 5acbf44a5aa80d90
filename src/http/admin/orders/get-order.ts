import { Type } from 'typebox'
import { findOrderEffects, listOrderCredit } from '#order-effects'
import { findOrder } from '#orders'
import type { Surface } from '../../shared/surface.ts'
import { requestStoreOf, StoreParams, storeOf } from '../store.ts'
import { orderNotFound } from './order-not-found.ts'
import { OrderBody, presentOrder } from './present-order.ts'

/** GET /stores/{store}/orders/{order} */
export function getOrderRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/orders/:order',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getOrder',
        summary: 'Get an order',
        description:
          'With its lines, refunds, transactions and disputes, what kind of order it was, the subscriptions it belongs to, and what it did to store credit and points.',
        params: Type.Object({
          ...StoreParams.properties,
          order: Type.String({
            description: "the platform's number of an order, its global id, or our id such as ord_7",
            examples: ['5012345678901']
          })
        }),
        response: { 200: OrderBody }
      }
    },
    async (request) => {
      const { order: given } = request.params
      const { profile } = requestStoreOf(request)
      const found = await request.inStore(async (ctx) => {
        const order = await findOrder(ctx, given, profile)
        if (!order) return null
        const credit = (await listOrderCredit(ctx, [order.id])).get(order.id)
        return { order, effects: await findOrderEffects(ctx, order.id), credit }
      })
      if (!found) throw orderNotFound(given)
      return presentOrder(found.order, found.effects, found.credit, storeOf(request).currency)
    }
  )
}
