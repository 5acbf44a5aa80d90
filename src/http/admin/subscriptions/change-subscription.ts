import { Type } from 'typebox'
import { changeSubscription } from '#lifecycle'
import { ChangeFields, changeFrom } from '../../shared/subscription-change.ts'
import type { Surface } from '../../shared/surface.ts'
import { amount } from '../fields.ts'
import { storeOf } from '../store.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'
import { SubscriptionBody } from './present-subscription.ts'

const ChangeBody = Type.Object(
  {
    ...ChangeFields,
    price: Type.Optional(
      amount({ meaning: 'Price per cycle, in the currency of the subscription', examples: ['24.00'] })
    )
  },
  { examples: [{ price: '24.00' }] }
)

/** POST /stores/{store}/subscriptions/{id}/change */
export function changeSubscriptionRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/subscriptions/:id/change',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'changeSubscription',
        summary: 'Change a subscription',
        description:
          'A date takes effect at once. Plan, price, interval and payment method take effect with the next cycle: they go to the platform first and are `pending_change` until then. Fields that are left out stay.',
        params: SubscriptionParams,
        body: ChangeBody,
        response: { 200: SubscriptionBody }
      }
    },
    (request) =>
      changedSubscription(request, (ctx, id, by) =>
        changeSubscription(ctx, id, changeFrom(ctx.now, request.body, storeOf(request)), by)
      )
  )
}
