import { consumer, type StoredFact } from '#kit/outbox'
import { type Ctx, int, oneOf, row, sql } from '#kit/postgres'
import { lockWithCustomers } from '../lock-with-customers.ts'
import { endOffers, type OfferEnd } from './end-offers.ts'

/** After these an offer may be used up, or its contract has ended or lives again. */
const FACTS = [
  'billing.success',
  'contract_grant.ended',
  'subscription.cancelled',
  'subscription.updated',
  'subscription.resumed'
] as const

/** Accepted offers follow their contracts. It reads what is true now, so that a repeated fact changes nothing. */
export const churnConsumer = consumer('churn', FACTS, followContracts, { from: 'now' })

async function followContracts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  const named = [...new Set(facts.flatMap(({ refs }) => refs.subscriptionId ?? []))]
  const subscriptionIds = await listWithOffers(ctx, named)
  if (subscriptionIds.length === 0) return
  await lockWithCustomers(ctx, subscriptionIds)
  await markLost(ctx, subscriptionIds)
  await endOffers(ctx, await listOver(ctx, subscriptionIds), 'scheduler')
}

/** Of these subscriptions, those on which an offer was ever accepted. */
async function listWithOffers(ctx: Ctx, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select distinct subscription_id as id from contract_offers
     where store_id = ${ctx.storeId} and subscription_id = any(${ids}::bigint[])`
  )
  return rows.map(({ id }) => id)
}

/** Since when the contract of each of their offers has ended; null again where that was taken back. */
async function markLost(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update contract_offers o
       set lost_at = case when s.status in ('cancelled', 'failed', 'expired') then s.cancelled_at end, updated_at = ${ctx.now}
      from subscriptions s
     where o.store_id = ${ctx.storeId} and o.subscription_id = any(${subscriptionIds}::bigint[])
       and s.store_id = ${ctx.storeId} and s.id = o.subscription_id
       and o.lost_at is distinct from case when s.status in ('cancelled', 'failed', 'expired') then s.cancelled_at end`)
}

/**
 * Their active offers that are used up: a discount whose grant is over, by itself or on the platform; credit and another frequency with the next
 * charge that succeeds.
 */
function listOver(ctx: Ctx, subscriptionIds: number[]): Promise<OfferEnd[]> {
  return ctx.tx.many(
    row({ id: int, by: oneOf('used', 'charged', 'removed') }),
    sql`
    select o.id, case when o.grant_id is null then 'charged' when g.ended_by = 'removed' then 'removed' else 'used' end as by
      from contract_offers o
      left join contract_grants g on g.store_id = ${ctx.storeId} and g.id = o.grant_id
     where o.store_id = ${ctx.storeId} and o.subscription_id = any(${subscriptionIds}::bigint[]) and o.status = 'active'
       and case when o.grant_id is not null then g.ended_by in ('used', 'removed')
                else exists (select from billing_attempts a
                              where a.store_id = ${ctx.storeId} and a.subscription_id = o.subscription_id and a.status = 'success'
                                and a.id > coalesce(o.attempt_before, 0)) end
     order by o.id`
  )
}
