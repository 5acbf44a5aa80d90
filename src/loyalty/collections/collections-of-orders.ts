import { bool, type Ctx, int, json, row, sql, text, textList } from '#kit/postgres'

/** By product, the collections of rules that have it. */
export type ProductCollections = ReadonlyMap<string, readonly string[]>

/** What rules that are limited to collections have to know of orders. */
export type OrderCollections = {
  /** By order: as its products were when it counted first. */
  of: ReadonlyMap<number, ProductCollections>
  /** Collections of which the products are not known yet. */
  unread: ReadonlySet<string>
}

type Matches = Record<string, string[]>
type Order = { id: number; productIds: string[] }

/** What rules have to know of orders that count from now on, which keep it. Those that may wait for a collection are counted again when it is read. */
export async function keepCollectionsOfOrders(ctx: Ctx, orders: Order[]): Promise<OrderCollections> {
  if (orders.length === 0) return { of: new Map(), unread: new Set() }
  const { known, isAny, unread } = await lockUnread(ctx)
  // Nothing is kept of an order before the first collection was read.
  const kept = known === 0 ? new Map<number, Kept>() : await listKept(ctx, orders)
  const open = isAny ? orders.filter(({ id }) => (kept.get(id)?.known ?? 0) < known) : []
  const current = await listCurrent(ctx, [...new Set(open.flatMap(({ productIds }) => productIds))])
  const added = open.map(({ id, productIds }) => {
    const before = kept.get(id) ?? { known: 0, matches: {} }
    return { id, known, matches: merged(before, productIds, current) }
  })
  await writeKept(ctx, added)
  await writeWaiting(ctx, orders, unread)
  const all = new Map([...[...kept.values()], ...added].map(({ id, matches }) => [id, matches]))
  return {
    of: new Map([...all].map(([id, matches]) => [id, new Map(Object.entries(matches))])),
    unread: new Set(unread)
  }
}

/** The collections of products as they are now, and which are not read yet. Writes nothing. */
export async function findCollectionsOfProducts(
  ctx: Ctx,
  productIds: string[]
): Promise<{ of: ProductCollections; unread: ReadonlySet<string> }> {
  const rows = await ctx.tx.many(
    row({ id: text }),
    sql`select collection_id as id from loyalty_collections where store_id = ${ctx.storeId} and number is null`
  )
  const current = await listCurrent(ctx, productIds)
  const of = new Map(
    [...current].map(([productId, found]) => [productId, found.map(({ collectionId }) => collectionId)])
  )
  return { of, unread: new Set(rows.map(({ id }) => id)) }
}

/** Takes at most so many of the orders that wait for these collections off the list: they are to be counted again. */
export async function takeWaitingOrders(ctx: Ctx, collectionIds: string[], limit: number): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ orderId: int }),
    sql`
    with taken as (
      select collection_id, order_id from loyalty_waiting_orders
       where store_id = ${ctx.storeId} and collection_id = any(${collectionIds}::text[])
       order by collection_id, order_id limit ${limit} for update)
    delete from loyalty_waiting_orders w using taken
     where w.store_id = ${ctx.storeId} and w.collection_id = taken.collection_id and w.order_id = taken.order_id
    returning w.order_id`
  )
  return rows.map(({ orderId }) => orderId)
}

/**
 * Which collections are not read yet. They stay so until the transaction ends: an order that is to wait for one is on the list before anybody
 * looks who waits. `known`: how many were read until now, at least.
 */
function lockUnread(ctx: Ctx): Promise<{ known: number; isAny: boolean; unread: string[] }> {
  return ctx.tx.one(
    row({ known: int, isAny: bool, unread: textList }),
    sql`
    with unread as (
      select collection_id from loyalty_collections
       where store_id = ${ctx.storeId} and number is null order by collection_id for share)
    select coalesce((select collections_read from loyalty_stores where store_id = ${ctx.storeId}), 0) as known,
           exists (select from loyalty_collections where store_id = ${ctx.storeId} and number is not null) as is_any,
           coalesce((select array_agg(collection_id) from unread), '{}') as unread`
  )
}

type Kept = { id: number; known: number; matches: Matches }

async function listKept(ctx: Ctx, orders: Order[]): Promise<Map<number, Kept>> {
  const rows = await ctx.tx.many(
    row({ id: int, known: int, matches: json<Matches>() }),
    sql`
    select order_id as id, known, matches from loyalty_order_collections
     where store_id = ${ctx.storeId} and order_id = any(${orders.map(({ id }) => id)}::bigint[])`
  )
  return new Map(rows.map((one) => [one.id, one]))
}

type Current = Map<string, { collectionId: string; number: number }[]>

/** By product, the collections that were read and have it. */
async function listCurrent(ctx: Ctx, productIds: string[]): Promise<Current> {
  if (productIds.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ productId: text, collectionId: text, number: int }),
    sql`
    select p.product_id, p.collection_id, c.number
      from loyalty_collection_products p
      join loyalty_collections c on c.store_id = ${ctx.storeId} and c.collection_id = p.collection_id and c.number is not null
     where p.store_id = ${ctx.storeId} and p.product_id = any(${productIds}::text[])
     order by p.product_id, p.collection_id`
  )
  return Map.groupBy(rows, ({ productId }) => productId)
}

/** What was kept of an order, and what collections say that were read since. */
function merged({ known, matches }: Omit<Kept, 'id'>, productIds: string[], current: Current): Matches {
  const all = productIds.map((productId): [string, string[]] => {
    const later = (current.get(productId) ?? []).filter(({ number }) => number > known)
    return [productId, [...new Set([...(matches[productId] ?? []), ...later.map(({ collectionId }) => collectionId)])]]
  })
  return { ...matches, ...Object.fromEntries(all.filter(([, collectionIds]) => collectionIds.length > 0)) }
}

async function writeKept(ctx: Ctx, orders: Kept[]): Promise<void> {
  if (orders.length === 0) return
  await ctx.tx.run(sql`
    insert into loyalty_order_collections (store_id, order_id, known, matches)
    select ${ctx.storeId}, o.id, o.known, o.matches::jsonb
      from unnest(${orders.map(({ id }) => id)}::bigint[], ${orders.map(({ known }) => known)}::int[],
                  ${orders.map(({ matches }) => JSON.stringify(matches))}::text[]) as o(id, known, matches)
     order by o.id
    on conflict (store_id, order_id) do update set known = excluded.known, matches = excluded.matches`)
}

async function writeWaiting(ctx: Ctx, orders: Order[], unread: string[]): Promise<void> {
  if (unread.length === 0) return
  await ctx.tx.run(sql`
    insert into loyalty_waiting_orders (store_id, collection_id, order_id)
    select ${ctx.storeId}, c.id, o.id
      from unnest(${unread}::text[]) as c(id) cross join unnest(${orders.map(({ id }) => id)}::bigint[]) as o(id)
     order by c.id, o.id
    on conflict do nothing`)
}
