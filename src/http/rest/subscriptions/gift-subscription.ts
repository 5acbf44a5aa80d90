import { Type } from 'typebox'
import { giftSubscription } from '#lifecycle'
import { resolveCustomer } from '#members'
import { SubscriptionBody } from '#resources'
import { subscriptionNotFound } from '#subscriptions'
import { findSubscription } from '#views'
import { replayed } from '../../shared/idempotency.ts'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../../shared/parse-customer.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope } from '../envelope.ts'
import { changedSubscription, SubscriptionParams, subscriptionIdOf } from './one-subscription.ts'

const GiftBody = Type.Object({
  receiver: Type.String({
    minLength: 1,
    maxLength: 330,
    description: ACCEPTED_CUSTOMER,
    meaning: 'The new member; a customer who is not known here is looked up on the platform',
    examples: ['cust_31']
  })
})

/** POST /subscriptions/{subscription_id}/gift: ours, since the spec leaves open how memberships are given away. */
export function giftSubscriptionRoute(rest: Surface, { db, connectorOf }: RestDeps): void {
  rest.post(
    '/subscriptions/:subscription_id/gift',
    {
      config: { allow: 'write:subscriptions' },
      schema: {
        operationId: 'giftSubscription',
        summary: 'Gift a membership',
        description:
          'The receiver becomes the member and gets its status and tier. The customer (the giver) continues to pay. A membership that is a gift already moves to the new receiver. Only for an active or paused membership, and for a receiver without an active one of the same tier.',
        params: SubscriptionParams,
        body: GiftBody,
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: { updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    async (request, reply) => {
      const { storeId, profile } = callerOf(request)
      const earlier = await replayed<Awaited<ReturnType<typeof changedSubscription>>>(request, reply)
      if (earlier) return earlier
      const id = subscriptionIdOf(request)
      if (!(await findSubscription(db.direct, storeId, id))) throw subscriptionNotFound(id)
      const reference = parseCustomer('receiver', request.body.receiver, profile)
      // The platform is asked before the transaction, which must not wait for it.
      const receiverId = await resolveCustomer(db, storeId, () => connectorOf(storeId), reference, 'receiver')
      return changedSubscription(request, reply, (ctx, _id, { by }) => giftSubscription(ctx, id, receiverId, by))
    }
  )
}
