import { Type } from 'typebox'
import { giftSubscription, takeBackGift } from '#lifecycle'
import { meetWhoIsMeant } from '#members'
import { SubscriptionBody } from '#resources'
import { subscriptionNotFound } from '#subscriptions'
import { findSubscription } from '#views'
import { customerSaid, TAKES_CUSTOMER } from '../shared/customer-said.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { answerOnce } from '../shared/idempotency.ts'
import type { Surface } from '../shared/surface.ts'
import { actorOf, callerOf } from './caller.ts'
import { Envelope } from './envelope.ts'
import { answerOf, SubscriptionParams, subscriptionIdOf } from './subscription-moves.ts'

const GiftBody = Type.Object({
  receiver: Type.String({
    minLength: 1,
    maxLength: 330,
    description: TAKES_CUSTOMER,
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
        answerExample: { updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const id = subscriptionIdOf(request.params)
      if (!(await findSubscription(db.direct, caller.storeId, id))) throw subscriptionNotFound(id)
      const said = customerSaid('receiver', request.body.receiver, caller.profile)
      const receiverId = await meetWhoIsMeant(db, caller.storeId, () => connectorOf(caller.storeId), said, 'receiver')
      return answerOnce(request, reply, async (ctx) => {
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
        operationId: 'takeBackGift',
        summary: 'Take a gift back',
        description: 'Who pays for the membership holds it again. Only of an active or paused one that was given away.',
        params: SubscriptionParams,
        body: Type.Object({}),
        response: { 200: Envelope(SubscriptionBody) },
        answerExample: { updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => {
      const caller = callerOf(request)
      return answerOnce(request, reply, async (ctx) => {
        const { id } = await takeBackGift(ctx, subscriptionIdOf(request.params), actorOf(caller))
        return answerOf(ctx, id, caller.profile)
      })
    }
  )
}
