import { Type } from 'typebox'
import { giftSubscription } from '#lifecycle'
import { resolveCustomer } from '#members'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../../shared/parse-customer.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { storeOf } from '../store.ts'
import { changedSubscription, readSubscription, SubscriptionParams, subscriptionIdOf } from './one-subscription.ts'
import { SubscriptionBody } from './present-subscription.ts'

const GiftBody = Type.Object({
  receiver: Type.String({
    minLength: 1,
    maxLength: 330,
    description: ACCEPTED_CUSTOMER,
    meaning: 'The new member; a customer who is not known here is looked up on the platform',
    examples: ['cust_31']
  })
})

/** POST /stores/{store}/subscriptions/{id}/gift */
export function giftSubscriptionRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/subscriptions/:id/gift',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'giftSubscription',
        summary: 'Gift a membership',
        description:
          'The receiver becomes the member and the customer continues to pay. `gift` names both. Only for an active or paused membership, and for a receiver without an active one of the same tier.',
        params: SubscriptionParams,
        body: GiftBody,
        response: { 200: SubscriptionBody }
      }
    },
    async (request) => {
      const { storeId, platformProfile: profile } = storeOf(request)
      await request.inStore((ctx) => readSubscription(ctx, subscriptionIdOf(request)))
      const reference = parseCustomer('receiver', request.body.receiver, profile)
      // The platform is asked before the transaction, which must not wait for it.
      const connectorOf = () => deps.connectorOf(storeId)
      const receiverId = await resolveCustomer(deps.db, storeId, connectorOf, reference, 'receiver')
      return changedSubscription(request, (ctx, id, by) => giftSubscription(ctx, id, receiverId, by))
    }
  )
}
