import { isDeepStrictEqual } from 'node:util'
import type { Ctx, Database } from '#kit/postgres'
import { row, sql, text } from '#kit/postgres'
import { type Connector, type OrderRevision, type PlatformDispute, type PlatformResult, unwrap } from '#platform'
import { findKnownOrders } from '../reported/order-queries.ts'
import { recordReports } from '../reported/record-reports.ts'
import type { Walk, WalkedPage } from './order-walks.ts'

export type Walking = { db: Database; storeId: number; connector: Connector }

/** A change may become readable some time after it was made, and clocks differ. */
const OVERLAP_MINUTES = 10
/** So many orders are recorded in one transaction. */
const CHUNK = 50
/** Disputes without an end that are read again by each walk, the longest unread first. */
const MAX_OPEN_DISPUTES = 200

/**
 * A page of the orders that changed since the last walk. Their ids and times are listed first, and only those are read whole of which we
 * do not have that revision, or which has other tags: where no message was lost, a walk costs one point of the platform's budget per order.
 */
export async function walkOrders(walking: Walking, walk: Walk): Promise<PlatformResult<WalkedPage>> {
  const { connector } = walking
  const since = walk.cursorAt.subtract({ minutes: walk.kind === 'recent' ? OVERLAP_MINUTES : 0 })
  const page = await connector.orders.listUpdatedSince(since, walk.pageAfter)
  if (!page.ok) return page
  const { items, after } = page.value
  const changed = await readMissing(walking, items)
  const ofDisputes = after === null ? await walkDisputes(walking, since) : { seen: 0, changed: 0 }
  return {
    ok: true,
    value: { seen: items.length + ofDisputes.seen, changed: changed + ofDisputes.changed, after }
  }
}

async function readMissing(walking: Walking, revisions: OrderRevision[]): Promise<number> {
  const { db, storeId } = walking
  const ids = revisions.map(({ id }) => id)
  const known = new Map(
    (await db.inStore(storeId, (ctx) => findKnownOrders(ctx, ids))).map((order) => [order.platformOrderId, order])
  )
  const missing = revisions.filter(({ id, updatedAt, tags }) => {
    const order = known.get(id)
    if (!order || order.detailsAt === null) return true
    const age = Temporal.Instant.compare(order.detailsAt, updatedAt)
    // Reports of one second can overtake each other.
    return age < 0 || (age === 0 && !isDeepStrictEqual(order.tags.toSorted(), tags.toSorted()))
  })
  return readAndRecord(
    walking,
    missing.map(({ id }) => id)
  )
}

/** Reads orders whole and records them; returns how many changed something. */
async function readAndRecord({ db, storeId, connector }: Walking, ids: string[]): Promise<number> {
  let changed = 0
  for (let i = 0; i < ids.length; i += CHUNK) {
    const orders = [...unwrap(await connector.orders.findWhole(ids.slice(i, i + CHUNK))).values()]
    const reports = { orders, refunds: [], transactions: [], disputes: [] }
    changed += (await db.inStore(storeId, (ctx) => recordReports(ctx, reports, 'platform'))).changed
  }
  return changed
}

/**
 * The disputes that began since, and ours that have not ended. A store that does not grant us to read disputes has none that we know.
 */
export async function walkDisputes(
  walking: Walking,
  since: Temporal.Instant
): Promise<{ seen: number; changed: number }> {
  const { db, storeId, connector } = walking
  const total = { seen: 0, changed: 0 }
  const record = async (disputes: PlatformDispute[], readAt: Temporal.Instant) => {
    total.seen += disputes.length
    if (disputes.length > 0) total.changed += await recordDisputesRead(walking, disputes, readAt)
  }
  const now = () => db.inStore(storeId, async (ctx) => ctx.now)
  let after: string | null = null
  do {
    const readAt = await now()
    const page: Awaited<ReturnType<typeof connector.orders.listDisputesSince>> =
      await connector.orders.listDisputesSince(since, after)
    if (!page.ok && page.failure.code === 'access_denied') return total
    const found = unwrap(page)
    await record(found.items, readAt)
    after = found.after
  } while (after !== null)
  const open = await db.inStore(storeId, listOpenDisputes)
  if (open.length === 0) return total
  const readAt = await now()
  await record([...unwrap(await connector.orders.findDisputes(open)).values()], readAt)
  return total
}

/**
 * Orders of disputes that are not known here are read with them. `readAt`: when the platform was asked. What it reports after that
 * is newer, also where it is recorded first.
 */
async function recordDisputesRead(
  walking: Walking,
  disputes: PlatformDispute[],
  readAt: Temporal.Instant
): Promise<number> {
  const { db, storeId } = walking
  const write = () =>
    db.inStore(storeId, (ctx) => {
      const reported = disputes.map((dispute) => ({ dispute, reportedAt: readAt }))
      return recordReports(ctx, { orders: [], refunds: [], transactions: [], disputes: reported }, 'platform')
    })
  const first = await write()
  if (first.unknown.size === 0) return first.changed
  const read = await readAndRecord(walking, [...first.unknown])
  return first.changed + read + (await write()).changed
}

async function listOpenDisputes(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ id: text }),
    sql`
    select platform_dispute_id as id from order_disputes
     where store_id = ${ctx.storeId} and finalized_at is null order by reported_at, id limit ${MAX_OPEN_DISPUTES}`
  )
  return rows.map(({ id }) => id)
}
