import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { listActiveOffers } from '#churn'
import type { Ctx } from '#kit/postgres'
import { assertCustomerMay, type CustomerActions, findOwnContract } from '#lifecycle'
import { type Actor, lockSubscription } from '#subscriptions'
import type { HttpDeps } from '../../shared/deps.ts'
import { type ContractParams, ownSubscription } from '../churn/own-subscription.ts'
import { customerOf } from '../shoppers.ts'
import { type AccountContract, presentAccountContract } from './account-contract.ts'

type OfContract = FastifyRequest & { params: Static<typeof ContractParams> }

/** Carries out what a customer may do with their own contract, in one transaction, and returns it as their account shows it. */
export async function changeOwnContract(
  { db, wake }: Pick<HttpDeps, 'db' | 'wake'>,
  request: OfContract,
  action: keyof CustomerActions,
  change: (ctx: Ctx, id: number, by: Actor) => Promise<unknown>
): Promise<Static<typeof AccountContract>> {
  const { storeId, timezone } = customerOf(request).store
  const changed = await db.inStore(storeId, async (ctx) => {
    const { id, by } = await ownSubscription(ctx, request)
    await assertCustomerMay(ctx, id, action)
    await change(ctx, id, by)
    const own = await findOwnContract(ctx, await lockSubscription(ctx, id))
    return presentAccountContract(own!, (await listActiveOffers(ctx, [id])).get(id) ?? null, timezone)
  })
  wake(storeId)
  return changed
}
