import { type Ctx, int, row, sql } from '#kit/postgres'
import type { ContractOffer } from './contract-offer.ts'
import { listContractOffers } from './contract-offer-queries.ts'

/** The active offer of each of these subscriptions that has one. */
export async function listActiveOffers(ctx: Ctx, subscriptionIds: number[]): Promise<Map<number, ContractOffer>> {
  if (subscriptionIds.length === 0) return new Map()
  const found = await listContractOffers(ctx, { subscriptionIds, status: 'active', limit: subscriptionIds.length })
  return new Map(found.map((one) => [one.subscriptionId, one]))
}

/** Of these customers, those who ever accepted an offer, and whether they have an active one now. Who pays for a subscription is its customer. */
export async function listOfferHolders(ctx: Ctx, memberIds: number[]): Promise<Map<number, { isActive: boolean }>> {
  if (memberIds.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ memberId: int, active: int }),
    sql`
    select s.member_id, count(*) filter (where o.status = 'active')::int as active
      from subscriptions s join contract_offers o on o.store_id = ${ctx.storeId} and o.subscription_id = s.id and o.status <> 'applying'
     where s.store_id = ${ctx.storeId} and s.member_id = any(${memberIds}::bigint[])
     group by s.member_id`
  )
  return new Map(rows.map(({ memberId, active }) => [memberId, { isActive: active > 0 }]))
}
