import { type Ctx, int, row, sql, text } from '#kit/postgres'
import type { ReasonAlias } from '../reasons/reasons.ts'
import { offerNotFound } from '../refusals.ts'
import { type Offer, OfferRow } from './offer.ts'

/** An offer with the reasons for which it is made. */
export type OfferWithReasons = Offer & { reasons: ReasonAlias[] }
/** What is written of an offer. */
export type OfferToWrite = Omit<Offer, 'id' | 'createdAt' | 'updatedAt'> & { reasons: ReasonAlias[] }

/** Offers with what they are shown for, oldest first; all, or those with these ids. */
export async function listOffers(ctx: Ctx, ids: number[] | null = null): Promise<OfferWithReasons[]> {
  const offers = await ctx.tx.many(
    OfferRow,
    sql`
    select id, name, description, type, currency, percent, amount_minor, cycles, target, is_of_each_item, interval, interval_count,
           credit_minor, min_member_days, min_days_since_offer, is_for_trials, is_on, created_at, updated_at
      from churn_offers
     where store_id = ${ctx.storeId} and (${ids}::bigint[] is null or id = any(${ids}::bigint[])) order by id`
  )
  const reasons = await ctx.tx.many(
    row({ offerId: int, alias: text }),
    sql`
    select offer_id, alias from churn_offer_reasons
     where store_id = ${ctx.storeId} and offer_id = any(${offers.map(({ id }) => id)}::bigint[]) order by offer_id, alias`
  )
  const byOffer = Map.groupBy(reasons, ({ offerId }) => offerId)
  return offers.map((offer) => ({
    ...offer,
    reasons: (byOffer.get(offer.id) ?? []).map(({ alias }) => alias as ReasonAlias)
  }))
}

/** Refuses an id that names no offer of the store. */
export async function getOffer(ctx: Ctx, id: number): Promise<OfferWithReasons> {
  const [found] = await listOffers(ctx, [id])
  if (!found) throw offerNotFound(id)
  return found
}

/** Locks the row until the transaction ends: two changes at once must not each write back what the other changed. */
export async function lockOffer(ctx: Ctx, id: number): Promise<OfferWithReasons> {
  await ctx.tx.maybeOne(
    row({ id: int }),
    sql`select id from churn_offers where store_id = ${ctx.storeId} and id = ${id} for update`
  )
  return getOffer(ctx, id)
}

/** Locks all offers of the store until the transaction ends, and returns how many there are: two at once must not both be the last one. */
export async function lockOffers(ctx: Ctx): Promise<number> {
  const found = await ctx.tx.many(
    row({ id: int }),
    sql`select id from churn_offers where store_id = ${ctx.storeId} order by id for update`
  )
  if (found.length === 0) return 0
  // One that was inserted while this waited is not among those that were locked.
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`select count(*) as count from churn_offers where store_id = ${ctx.storeId}`
  )
  return count
}

/** Returns its id. */
export async function insertOffer(ctx: Ctx, one: OfferToWrite): Promise<number> {
  const { id } = await ctx.tx.one(
    row({ id: int }),
    sql`
    insert into churn_offers (store_id, name, description, type, currency, percent, amount_minor, cycles, target, is_of_each_item,
                              interval, interval_count, credit_minor, min_member_days, min_days_since_offer, is_for_trials, is_on,
                              created_at, updated_at)
    values (${ctx.storeId}, ${one.name}, ${one.description}, ${one.type}, ${one.currency}, ${one.percent}, ${one.amountMinor},
            ${one.cycles}, ${one.target}, ${one.isOfEachItem}, ${one.interval}, ${one.intervalCount}, ${one.creditMinor},
            ${one.minMemberDays}, ${one.minDaysSinceOffer}, ${one.isForTrials}, ${one.isOn}, ${ctx.now}, ${ctx.now})
    returning id`
  )
  await writeReasons(ctx, id, one.reasons)
  return id
}

export async function writeOffer(ctx: Ctx, id: number, one: OfferToWrite): Promise<void> {
  await ctx.tx.run(sql`
    update churn_offers
       set name = ${one.name}, description = ${one.description}, type = ${one.type}, currency = ${one.currency}, percent = ${one.percent},
           amount_minor = ${one.amountMinor}, cycles = ${one.cycles}, target = ${one.target}, is_of_each_item = ${one.isOfEachItem},
           interval = ${one.interval}, interval_count = ${one.intervalCount}, credit_minor = ${one.creditMinor},
           min_member_days = ${one.minMemberDays}, min_days_since_offer = ${one.minDaysSinceOffer}, is_for_trials = ${one.isForTrials},
           is_on = ${one.isOn}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id}`)
  await ctx.tx.run(sql`
    delete from churn_offer_reasons
     where store_id = ${ctx.storeId} and offer_id = ${id} and alias <> all(${one.reasons}::text[])`)
  await writeReasons(ctx, id, one.reasons)
}

async function writeReasons(ctx: Ctx, offerId: number, reasons: ReasonAlias[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into churn_offer_reasons (store_id, alias, offer_id)
    select ${ctx.storeId}, a.alias, ${offerId} from unnest(${reasons}::text[]) as a(alias)
    on conflict (store_id, alias, offer_id) do nothing`)
}
