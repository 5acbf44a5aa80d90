import { record } from '#kit/outbox'
import { arrayText, type Ctx, int, row, sql, text } from '#kit/postgres'
import { listCustomers } from '#members'
import type { Draft, Lot, Pending } from './draft.ts'
import { pointsChanged } from './events/points-changed.ts'
import type { NewEntry, PointsEntry } from './points.ts'

/**
 * Writes what was planned: the entries in their order, the accounts, the rest of the lots and of what is pending, and an event of each
 * entry that moves points. Returns the entries.
 */
export async function writePoints(ctx: Ctx, drafts: Draft[], entries: NewEntry[]): Promise<PointsEntry[]> {
  const changed = drafts.filter(
    (draft) => isMoved(draft) || draft.lots.some(isChanged) || draft.pending.some(isChanged)
  )
  if (changed.length === 0 && entries.length === 0) return []
  const ids = entries.length === 0 ? new Map<string, number>() : await insertEntries(ctx, entries)
  await writeAccounts(ctx, changed)
  await writeLots(ctx, changed, ids)
  await writePending(ctx, changed, ids)
  const written = entries.map((entry) => ({ ...entry, id: ids.get(entry.operationId)! }))
  const moved = written.filter(({ points }) => points !== 0)
  if (moved.length > 0) {
    const memberIds = [...new Set(moved.map(({ memberId }) => memberId))]
    const emails = new Map((await listCustomers(ctx, memberIds)).map(({ id, email }) => [id, email]))
    await record(ctx, ...moved.map((entry) => pointsChanged(entry, emails.get(entry.memberId) ?? null)))
  }
  return written
}

const isChanged = (part: Lot | Pending) => part.isChanged

const isMoved = ({ balance, pendingPoints, lifetimePoints, before }: Draft) =>
  balance !== before.lottedPoints ||
  balance !== before.balance ||
  pendingPoints !== before.pendingPoints ||
  lifetimePoints !== before.lifetimePoints

/** The number of each entry, by its operation. */
async function insertEntries(ctx: Ctx, entries: NewEntry[]): Promise<Map<string, number>> {
  const list = <T>(of: (entry: NewEntry) => T) => entries.map(of)
  const rows = await ctx.tx.many(
    row({ id: int, operationId: text }),
    sql`
    insert into points_entries (store_id, member_id, type, points, pending_points, lifetime_points, balance_after, reason, order_id,
                                operation_id, created_at, is_shared, exact_points, ready_at, expires_at, pending_id, spent_lots, spent_points,
                                reverses_id, shortfall_points, reversed_points, reversal)
    select ${ctx.storeId}, e.member_id, e.type, e.points, e.pending, e.lifetime, e.after, e.reason, e.order_id, e.operation_id,
           ${ctx.now}, e.shared, e.exact::numeric, e.ready_at, e.expires_at, e.pending_id, e.spent_lots::bigint[], e.spent_points::bigint[],
           e.reverses_id, e.shortfall, e.reversed, e.reversal
      from unnest(${list((e) => e.memberId)}::bigint[], ${list((e) => e.type)}::text[], ${list((e) => e.points)}::bigint[],
                  ${list((e) => e.pendingPoints)}::bigint[], ${list((e) => e.lifetimePoints)}::bigint[],
                  ${list((e) => e.balanceAfter)}::bigint[], ${list((e) => e.reason)}::text[], ${list((e) => e.orderId)}::bigint[],
                  ${list((e) => e.operationId)}::text[], ${list((e) => e.isShared)}::boolean[],
                  ${list((e) => e.exactPoints)}::text[],
                  ${list((e) => e.readyAt)}::timestamptz[], ${list((e) => e.expiresAt)}::timestamptz[],
                  ${list((e) => e.pendingId)}::bigint[], ${list(({ spent }) => spent && arrayText(spent.map((p) => p.entryId)))}::text[],
                  ${list(({ spent }) => spent && arrayText(spent.map((p) => p.points)))}::text[],
                  ${list((e) => e.reversal?.reversesId ?? null)}::bigint[], ${list((e) => e.reversal?.shortfallPoints ?? 0)}::bigint[],
                  ${list((e) => e.reversal?.reversedPoints ?? null)}::bigint[], ${list((e) => e.reversal?.reversal ?? null)}::text[])
           with ordinality as e(member_id, type, points, pending, lifetime, after, reason, order_id, operation_id, shared, exact, ready_at,
                                expires_at, pending_id, spent_lots, spent_points, reverses_id, shortfall, reversed, reversal, nth)
     order by e.nth
    returning id, operation_id`
  )
  return new Map(rows.map(({ id, operationId }) => [operationId, id]))
}

/** As differences, so that the constraints hold also where somebody has not locked the account; the lots then have the whole balance. */
async function writeAccounts(ctx: Ctx, drafts: Draft[]): Promise<void> {
  await ctx.tx.run(sql`
    update points_accounts a
       set balance = a.balance + d.points, pending_points = a.pending_points + d.pending,
           lifetime_points = a.lifetime_points + d.lifetime, lotted_points = a.lotted_points + d.lotted, updated_at = ${ctx.now}
      from unnest(${drafts.map((d) => d.memberId)}::bigint[], ${drafts.map((d) => d.balance - d.before.balance)}::bigint[],
                  ${drafts.map((d) => d.pendingPoints - d.before.pendingPoints)}::bigint[],
                  ${drafts.map((d) => d.lifetimePoints - d.before.lifetimePoints)}::bigint[],
                  ${drafts.map((d) => d.balance - d.before.lottedPoints)}::bigint[]) as d(member_id, points, pending, lifetime, lotted)
     where a.store_id = ${ctx.storeId} and a.member_id = d.member_id`)
}

/** The parts that were changed, with their entries, which may be new: those that are used up, and what is left of the others. */
function changedParts<P extends Lot | Pending>(drafts: Draft[], ids: Map<string, number>, of: (draft: Draft) => P[]) {
  const all = drafts.flatMap((draft) =>
    of(draft)
      .filter(isChanged)
      .map((part) => ({ ...part, memberId: draft.memberId, entryId: part.entryId ?? ids.get(part.operationId!)! }))
  )
  return {
    usedUp: all.filter(({ remaining }) => remaining === 0).map(({ entryId }) => entryId),
    left: all.filter(({ remaining }) => remaining > 0)
  }
}

async function writeLots(ctx: Ctx, drafts: Draft[], ids: Map<string, number>): Promise<void> {
  const { usedUp, left } = changedParts(drafts, ids, ({ lots }) => lots)
  if (usedUp.length > 0) {
    await ctx.tx.run(sql`
      delete from points_lots where store_id = ${ctx.storeId} and entry_id = any(${usedUp}::bigint[])`)
  }
  if (left.length === 0) return
  await ctx.tx.run(sql`
    insert into points_lots (store_id, entry_id, member_id, remaining_points, expires_at)
    select ${ctx.storeId}, l.entry_id, l.member_id, l.remaining, l.expires_at
      from unnest(${left.map((l) => l.entryId)}::bigint[], ${left.map((l) => l.memberId)}::bigint[],
                  ${left.map((l) => l.remaining)}::bigint[], ${left.map((l) => l.expiresAt)}::timestamptz[])
             as l(entry_id, member_id, remaining, expires_at)
     order by l.entry_id
    on conflict (store_id, entry_id) do update
      set remaining_points = excluded.remaining_points, expires_at = excluded.expires_at, member_id = excluded.member_id`)
}

async function writePending(ctx: Ctx, drafts: Draft[], ids: Map<string, number>): Promise<void> {
  const { usedUp, left } = changedParts(drafts, ids, ({ pending }) => pending)
  if (usedUp.length > 0) {
    await ctx.tx.run(sql`
      delete from points_pending where store_id = ${ctx.storeId} and entry_id = any(${usedUp}::bigint[])`)
  }
  if (left.length === 0) return
  await ctx.tx.run(sql`
    insert into points_pending (store_id, entry_id, member_id, remaining_points, ready_at, expires_at)
    select ${ctx.storeId}, p.entry_id, p.member_id, p.remaining, p.ready_at, p.expires_at
      from unnest(${left.map((p) => p.entryId)}::bigint[], ${left.map((p) => p.memberId)}::bigint[],
                  ${left.map((p) => p.remaining)}::bigint[], ${left.map((p) => p.readyAt)}::timestamptz[],
                  ${left.map((p) => p.expiresAt)}::timestamptz[])
             as p(entry_id, member_id, remaining, ready_at, expires_at)
     order by p.entry_id
    on conflict (store_id, entry_id) do update
      set remaining_points = excluded.remaining_points, member_id = excluded.member_id`)
}
