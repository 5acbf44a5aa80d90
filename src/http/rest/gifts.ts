import { Type } from 'typebox'
import { giftSubscription, revokeGift } from '#lifecycle'
import { resolveCustomer } from '#members'
import { SubscriptionBody } from '#resources'
import { subscriptionNotFound } from '#subscriptions'
import { findSubscription } from '#views'
import type { HttpDeps } from '../shared/deps.ts'
import { withIdempotency } from '../shared/idempotency.ts'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../shared/parse-customer.ts'
import type { Surface } from '../shared/surface.ts'
import { actorOf, callerOf } from './caller.ts'
import { Envelope } from './envelope.ts'
import { answerOf, SubscriptionParams, subscriptionIdOf } from './subscription-actions.ts'

const GiftBody = Type.Object({
  receiver: Type.String({
    minLength: 1,
    maxLength: 330,
    description: ACCEPTED_CUSTOMER,
    meaning: 'Who holds it from now on; a customer whom the service has not met is looked up on the platform',
    examples: ['cust_31']
  })
})

/** Ours: the contract knows gifted memberships, and leaves open how they are made. */
export function registerGifts(rest: Surface, { db, connectorOf }: Pick<HttpDeps, 'db' | 'connectorOf'>): void {
  rest.post(
    '/subscriptions/:subscription_id/gift',
    {
      config: { scope: 'write:subscriptions' },
      schema: {
        operationId: 'giftSubscription',
        summary: 'Give a membership away',
        description:
          'The receiver holds the membership from now on: its status and tier are theirs. Its customer, the giver, goes on paying for it. One that was given away goes over to the new receiver. Only an active or paused membership.',
        params: SubscriptionParams,
        body: GiftBody,
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: { updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const id = subscriptionIdOf(request.params)
      if (!(await findSubscription(db.direct, caller.storeId, id))) throw subscriptionNotFound(id)
      const reference = parseCustomer('receiver', request.body.receiver, caller.profile)
      const receiverId = await resolveCustomer(
        db,
        caller.storeId,
        () => connectorOf(caller.storeId),
        reference,
        'receiver'
      )
      return withIdempotency(request, reply, async (ctx) => {
        await giftSubscription(ctx, id, receiverId, actorOf(caller))
        return answerOf(ctx, id, caller.profile)
      })
    }
  )

  rest.post(
    '/subscriptions/:subscription_id/ungift',
    {
      config: { scope: 'write:subscriptions' },
      schema: {
        operationId: 'revokeGift',
        summary: 'Take a gift back',
        description: 'Who pays for the membership holds it again. Only of an active or paused one that was given away.',
        params: SubscriptionParams,
        body: Type.Object({}),
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: { updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => {
      const caller = callerOf(request)
      return withIdempotency(request, reply, async (ctx) => {
        const { id } = await revokeGift(ctx, subscriptionIdOf(request.params), actorOf(caller))
        return answerOf(ctx, id, caller.profile)
      })
    }
  )
}
