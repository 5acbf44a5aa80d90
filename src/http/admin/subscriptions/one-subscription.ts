import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import { type Actor, subscriptionNotFound } from '#subscriptions'
import { findSubscription, listUnpaidCycles } from '#views'
import { idInPath } from '../../shared/path-ids.ts'
import { actorOf } from '../caller.ts'
import { StoreParams } from '../store.ts'
import { presentSubscription, type SubscriptionBody } from './present-subscription.ts'

/** Names a subscription of a store in a path. */
export const SubscriptionParams = Type.Object({
  ...StoreParams.properties,
  id: Type.String({ description: 'a subscription id such as sub_12', examples: ['sub_24'] })
})

type SubscriptionRequest = FastifyRequest & { params: Static<typeof SubscriptionParams> }

export const subscriptionIdOf = (request: SubscriptionRequest) => idInPath('sub', request.params.id)

/** A subscription as the transaction sees it. Refuses one that is not there. */
export async function readSubscription(ctx: Ctx, id: number): Promise<Static<typeof SubscriptionBody>> {
  const found = await findSubscription(ctx.tx, ctx.storeId, id)
  if (!found) throw subscriptionNotFound(id)
  return presentSubscription(found, (await listUnpaidCycles(ctx, [id])).get(id))
}

/** Changes the subscription in the path and answers with it as the transaction of the change leaves it. */
export async function changedSubscription(
  request: SubscriptionRequest,
  act: (ctx: Ctx, id: number, by: Actor) => Promise<unknown>
): Promise<Static<typeof SubscriptionBody>> {
  const id = subscriptionIdOf(request)
  return request.inStore(async (ctx) => {
    await act(ctx, id, actorOf(request))
    return readSubscription(ctx, id)
  })
}
