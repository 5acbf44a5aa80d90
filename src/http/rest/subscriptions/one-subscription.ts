import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import type { Caller } from '#stores'
import type { Actor } from '#subscriptions'
import { findSubscription } from '#views'
import { withIdempotency } from '../../shared/idempotency.ts'
import { idInPath } from '../../shared/path-ids.ts'
import { actorOf, callerOf } from '../caller.ts'
import { envelope } from '../envelope.ts'
import { presentSubscription } from '../present-subscription.ts'

/** Names a subscription in a path. */
export const SubscriptionParams = Type.Object({
  subscription_id: Type.String({ description: 'a subscription id', examples: ['sub_24'] })
})

type SubscriptionRequest = FastifyRequest & { params: Static<typeof SubscriptionParams> }

export const subscriptionIdOf = (request: SubscriptionRequest) => idInPath('sub', request.params.subscription_id)

/** What an action is given beside the subscription's id: who calls, and the same as an actor of the history. */
type Acting = { caller: Caller; by: Actor }

/**
 * Answers a request that changes the subscription in its path, once per `Idempotency-Key`: with the subscription as the
 * transaction of the change leaves it.
 */
export function changedSubscription(
  request: SubscriptionRequest,
  reply: FastifyReply,
  act: (ctx: Ctx, id: number, acting: Acting) => Promise<unknown>
) {
  const caller = callerOf(request)
  return withIdempotency(request, reply, async (ctx) => {
    const id = subscriptionIdOf(request)
    await act(ctx, id, { caller, by: actorOf(caller) })
    const changed = await findSubscription(ctx.tx, ctx.storeId, id)
    if (!changed) throw new Error(`The subscription ${id} is gone after it was changed`)
    return envelope(presentSubscription(changed, caller.profile))
  })
}
