import { dueQuery, type LeaseRelease } from '#kit/engines'
import { record } from '#kit/outbox'
import { type Ctx, directSql, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes } from '#kit/walks'
import { loyaltyCollectionKnown } from '../events/loyalty-collection-known.ts'
import { lockLoyalty } from '../lock-loyalty.ts'

/** How often a collection is read without a reason: messages of the platform get lost. */
const EVERY_HOURS = 24
/** A tenth earlier or later, so that stores that were connected together do not stay together. */
const SPREAD = 0.1
/** A collection may take its products by rules of its own, and products change often: so long it is not read again because of one. */
const AFTER_PRODUCTS_HOURS = 1
/** After so many failures in a row a reading begins anew: its place may be one that the platform does not know any more. */
const FAILURES_OF_A_PLACE = 3

const CollectionWalk = row({
  collectionId: text,
  reading: int,
  pageAfter: nullable(text),
  requests: int,
  failures: int,
  leaseToken: int
})
/** A collection that this process reads, at its next page. */
export type CollectionWalk = RowOf<typeof CollectionWalk>

/** A page of products; `after` leads to the next one. Null: there is no such collection. */
export type ProductPage = { items: string[]; after: string | null } | null

/** Has these collections read again: they were changed. Others than those that rules name are left out. */
export async function readCollectionsAgain(ctx: Ctx, collectionIds: string[]): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_collections
       set due_at = case when page_after is null then least(due_at, ${ctx.now}) else due_at end, requests = requests + 1
     where store_id = ${ctx.storeId} and collection_id = any(${collectionIds}::text[])`)
}

/** Products were changed, which may bring them into collections or out of them: has all read again, at most once an hour. */
export async function readAfterProducts(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_collections
       set due_at = greatest(${ctx.now}, read_at + ${AFTER_PRODUCTS_HOURS} * interval '1 hour')
     where store_id = ${ctx.storeId} and page_after is null
       and due_at > greatest(${ctx.now}, read_at + ${AFTER_PRODUCTS_HOURS} * interval '1 hour')`)
}

/** Leases the collection that is due for the longest time; null where none is. */
export function claimCollection(ctx: Ctx, leaseOwner: number, leaseMs: number): Promise<CollectionWalk | null> {
  return ctx.tx.maybeOne(
    CollectionWalk,
    sql`
    with due as (
      select collection_id from loyalty_collections
       where store_id = ${ctx.storeId} and due_at <= ${ctx.now}
         and (leased_until is null or leased_until < statement_timestamp())
         and (rests_until is null or rests_until < statement_timestamp())
       order by due_at, collection_id limit 1 for update skip locked)
    update loyalty_collections c
       set lease_token = c.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from due where c.store_id = ${ctx.storeId} and c.collection_id = due.collection_id
    returning c.collection_id, c.reading, c.page_after, c.requests, c.failures, c.lease_token`
  )
}

/** Extends the lease on a collection; false when another process has it. */
export async function extendCollection({ tx, storeId }: Ctx, walk: CollectionWalk, leaseMs: number): Promise<boolean> {
  const extended = await tx.run(sql`
    update loyalty_collections set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and collection_id = ${walk.collectionId} and lease_token = ${walk.leaseToken}
       and lease_owner is not null`)
  return extended === 1
}

/** Records a page. At its end what was not seen any more is left out, and orders that wait for the collection are counted. */
export async function recordProducts(ctx: Ctx, walk: CollectionWalk, page: ProductPage): Promise<void> {
  await lockLoyalty(ctx)
  const held = await ctx.tx.maybeOne(
    row({ number: nullable(int), requests: int }),
    sql`
    select number, requests from loyalty_collections
     where store_id = ${ctx.storeId} and collection_id = ${walk.collectionId} and lease_token = ${walk.leaseToken} for update`
  )
  // No rule names it any more, or another process has it.
  if (!held) return
  if (page !== null) await writeProducts(ctx, walk, page.items)
  if (page !== null && page.after !== null) {
    await ctx.tx.run(sql`
      update loyalty_collections
         set page_after = ${page.after}, failures = 0, last_error = null, lease_owner = null, leased_until = null
       where store_id = ${ctx.storeId} and collection_id = ${walk.collectionId}`)
    return
  }
  await ctx.tx.run(sql`
    delete from loyalty_collection_products
     where store_id = ${ctx.storeId} and collection_id = ${walk.collectionId}
       and (reading <> ${walk.reading} or ${page === null}::boolean)`)
  await endReading(ctx, walk, { isFirst: held.number === null, isAskedAgain: held.requests !== walk.requests })
}

async function writeProducts(ctx: Ctx, { collectionId, reading }: CollectionWalk, productIds: string[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into loyalty_collection_products (store_id, product_id, collection_id, reading)
    select ${ctx.storeId}, p.id, ${collectionId}, ${reading}
      from (select distinct id from unnest(${productIds}::text[]) as p(id)) p order by p.id
    on conflict (store_id, product_id, collection_id) do update set reading = excluded.reading`)
}

async function endReading(
  ctx: Ctx,
  { collectionId, reading }: CollectionWalk,
  { isFirst, isAskedAgain }: { isFirst: boolean; isAskedAgain: boolean }
): Promise<void> {
  const number = isFirst ? await nextNumber(ctx) : null
  const seconds = Math.round(EVERY_HOURS * 3600 * (1 - SPREAD + 2 * SPREAD * Math.random()))
  await ctx.tx.run(sql`
    update loyalty_collections c
       set number = coalesce(c.number, ${number}), read_at = ${ctx.now}, reading = ${reading + 1}, page_after = null,
           due_at = case when ${isAskedAgain}::boolean then ${ctx.now}::timestamptz
                         when s.clock_at is null then ${ctx.now.add({ seconds })}::timestamptz
                         else ${ctx.now.add({ hours: EVERY_HOURS })}::timestamptz end,
           failures = 0, last_error = null, lease_owner = null, leased_until = null
      from stores s
     where s.store_id = ${ctx.storeId} and c.store_id = ${ctx.storeId} and c.collection_id = ${collectionId}`)
  if (isFirst) await record(ctx, loyaltyCollectionKnown({ collectionId }))
}

async function nextNumber(ctx: Ctx): Promise<number> {
  const { number } = await ctx.tx.one(
    row({ number: int }),
    sql`
    update loyalty_stores set collections_read = collections_read + 1 where store_id = ${ctx.storeId}
    returning collections_read as number`
  )
  return number
}

/** Puts a collection off whose page did not come. It goes on there, and after some failures from its beginning. */
export async function putCollectionOff(ctx: Ctx, walk: CollectionWalk, error: string): Promise<void> {
  const failures = walk.failures + 1
  const beginsAnew = failures % FAILURES_OF_A_PLACE === 0
  await ctx.tx.run(sql`
    update loyalty_collections
       set failures = ${failures}, last_error = ${storableError(error)},
           rests_until = statement_timestamp() + ${retryMinutes(failures)} * interval '1 minute',
           page_after = case when ${beginsAnew}::boolean then null else page_after end, lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and collection_id = ${walk.collectionId} and lease_token = ${walk.leaseToken}`)
}

/** What rested in real time has waited since the end of that, by whatever clock. */
export const dueCollections = dueQuery(
  'loyalty_collections_due',
  `select c.store_id,
          min(greatest(c.due_at, case when t.clock_at is null then c.rests_until
                                      else s.until - (statement_timestamp() - c.rests_until) end)) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join loyalty_collections c on c.store_id = s.store_id and c.due_at <= s.until
     join stores t on t.store_id = s.store_id
    where (c.leased_until is null or c.leased_until < statement_timestamp())
      and (c.rests_until is null or c.rests_until < statement_timestamp())
    group by c.store_id`
)

/** What rests in real time is nothing that a clock could be moved to. */
export const nextCollection = directSql<[storeId: number]>(
  'next_loyalty_collection',
  `select min(due_at) as at from loyalty_collections
    where store_id = $1 and (rests_until is null or rests_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseCollections: LeaseRelease = (owners) => sql`
  update loyalty_collections set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
