import { type Ctx, directSql, int, row, sql } from '#kit/postgres'
import { contractOfferNotFound } from '../refusals.ts'
import { type ContractOffer, ContractOfferRow } from './contract-offer.ts'

/** Which accepted offers are listed; what is null is not asked. `beforeId`: only older ones. */
export type ContractOfferFilter = {
  subscriptionIds: number[] | null
  offerId: number | null
  status: 'active' | 'cancelled' | null
  beforeId: number | null
  limit: number
}

const SELECT = `
  select o.id, o.subscription_id, o.offer_id, o.name, o.description, o.type, o.currency, o.percent, o.amount_minor, o.cycles, o.target,
         o.is_of_each_item, o.interval, o.interval_count, o.credit_minor, o.status, o.reason, o.grant_id, g.platform_id as discount_gid,
         o.discount_title, g.used_cycles, o.credit_entry_id, o.former_interval, o.former_interval_count, o.next_billing_at, o.accepted_at,
         o.lost_at, o.ended_at, o.ended_by, o.updated_at
    from contract_offers o
    left join contract_grants g on g.store_id = $1 and g.id = o.grant_id
   where o.store_id = $1`

const filtered = directSql<
  [
    storeId: number,
    subscriptionIds: number[] | null,
    offerId: number | null,
    status: string | null,
    beforeId: number | null,
    limit: number
  ]
>(
  'contract_offers_filtered',
  `${SELECT} and o.status <> 'applying'
     and ($2::bigint[] is null or o.subscription_id = any($2::bigint[]))
     and ($3::bigint is null or o.offer_id = $3::bigint)
     and ($4::text is null or o.status = $4::text)
     and ($5::bigint is null or o.id < $5::bigint)
   order by o.id desc limit $6`
)

const withIds = directSql<[storeId: number, ids: number[]]>(
  'contract_offers_with_ids',
  `${SELECT} and o.id = any($2::bigint[]) order by o.id`
)

/** Newest first; those that are being applied are none yet. */
export function listContractOffers(
  { tx, storeId }: Ctx,
  filter: Partial<ContractOfferFilter>
): Promise<ContractOffer[]> {
  const { subscriptionIds = null, offerId = null, status = null, beforeId = null, limit = 1000 } = filter
  return tx.many(ContractOfferRow, filtered(storeId, subscriptionIds, offerId, status, beforeId, limit))
}

/** Those with these ids, whatever their status, in order of id. */
export const findContractOffers = ({ tx, storeId }: Ctx, ids: number[]): Promise<ContractOffer[]> =>
  tx.many(ContractOfferRow, withIds(storeId, ids))

/** Refuses an id that names none of the store. */
export async function getContractOffer(ctx: Ctx, id: number): Promise<ContractOffer> {
  const [found] = await findContractOffers(ctx, [id])
  if (!found || found.status === 'applying') throw contractOfferNotFound(id)
  return found
}

/** An acceptance as it begins. `answerBy`: real time, until which the platform is waited for; null where it is not asked. */
export type NewContractOffer = Pick<
  ContractOffer,
  | 'subscriptionId'
  | 'offerId'
  | 'name'
  | 'description'
  | 'type'
  | 'currency'
  | 'percent'
  | 'amountMinor'
  | 'cycles'
  | 'target'
  | 'isOfEachItem'
  | 'interval'
  | 'intervalCount'
  | 'creditMinor'
  | 'reason'
  | 'formerInterval'
  | 'formerIntervalCount'
> & { planId: number | null; answerBy: Temporal.Instant | null }

/**
 * Inserts it, `applying` where the platform is asked, else `active`. Returns its id; null where the contract has a live offer or has used this one, which
 * unique indexes say, whoever has looked before.
 */
export async function insertContractOffer(ctx: Ctx, one: NewContractOffer): Promise<number | null> {
  const inserted = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`
    insert into contract_offers (store_id, subscription_id, offer_id, name, description, type, currency, percent, amount_minor, cycles,
                                 target, is_of_each_item, interval, interval_count, credit_minor, status, answer_by, reason, plan_id,
                                 former_interval, former_interval_count, attempt_before, accepted_at, updated_at)
    select ${ctx.storeId}, ${one.subscriptionId}, ${one.offerId}, ${one.name}, ${one.description}, ${one.type}, ${one.currency},
           ${one.percent}, ${one.amountMinor}, ${one.cycles}, ${one.target}, ${one.isOfEachItem}, ${one.interval}, ${one.intervalCount},
           ${one.creditMinor}, case when ${one.answerBy}::timestamptz is null then 'active' else 'applying' end, ${one.answerBy},
           ${one.reason}, ${one.planId}, ${one.formerInterval}, ${one.formerIntervalCount}, latest.id, ${ctx.now}, ${ctx.now}
      from (select max(id) as id from billing_attempts
             where store_id = ${ctx.storeId} and subscription_id = ${one.subscriptionId} offset 0) latest
    on conflict do nothing
    returning id`
  )
  return inserted?.id ?? null
}

/** What the platform and the ledger have of an acceptance. */
export type Applied = Pick<ContractOffer, 'grantId' | 'discountTitle' | 'creditEntryId' | 'nextBillingAt'>

/** Writes what is given of it; with `isDone` it is active from now on. */
export async function writeApplied(ctx: Ctx, id: number, applied: Partial<Applied>, isDone: boolean): Promise<void> {
  const { grantId = null, discountTitle = null, creditEntryId = null, nextBillingAt = null } = applied
  await ctx.tx.run(sql`
    update contract_offers
       set grant_id = coalesce(${grantId}::bigint, grant_id), discount_title = coalesce(${discountTitle}::text, discount_title),
           credit_entry_id = coalesce(${creditEntryId}::bigint, credit_entry_id),
           next_billing_at = coalesce(${nextBillingAt}::timestamptz, next_billing_at),
           status = case when ${isDone}::boolean then 'active' else status end,
           answer_by = case when ${isDone}::boolean then null else answer_by end, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id}`)
}

/** Nobody waits any more for what the platform does of an acceptance: it has answered. The engine takes it back now. */
export async function endWait(ctx: Ctx, id: number): Promise<void> {
  await ctx.tx.run(sql`
    update contract_offers set answer_by = statement_timestamp() - interval '1 millisecond', updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id} and status = 'applying'`)
}

/** Removes acceptances that were not applied. */
export async function deleteContractOffers(ctx: Ctx, ids: number[]): Promise<void> {
  await ctx.tx.run(sql`
    delete from contract_offers where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) and status = 'applying'`)
}

/** Ends those of these that are active, and returns the ids of those that ended now. */
export async function markEnded(
  ctx: Ctx,
  ends: { id: number; by: NonNullable<ContractOffer['endedBy']> }[]
): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    update contract_offers o set status = 'cancelled', ended_at = ${ctx.now}, ended_by = e.by, updated_at = ${ctx.now}
      from unnest(${ends.map(({ id }) => id)}::bigint[], ${ends.map(({ by }) => by)}::text[]) as e(id, by)
     where o.store_id = ${ctx.storeId} and o.id = e.id and o.status = 'active'
    returning o.id`
  )
  return rows.map(({ id }) => id)
}
