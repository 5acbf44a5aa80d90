import {
  adoptAttempts,
  adoptPayments,
  listFailedAttempts,
  listOpenAttempts,
  listUnknownAttempts,
  resultOf,
  settleAttempts
} from '#billing'
import { listHeldContracts } from '#contracts'
import type { Ctx } from '#kit/postgres'
import { type PlatformAttempt, type PlatformResult, type UnreadableAttempt, unwrap } from '#platform'
import { notify, storeContext } from '#stores'
import { readAndApplyContracts } from '../contracts/read-and-apply-contracts.ts'
import { holdRestoredStore } from '../restored-store.ts'
import type { Walk, WalkedPage } from './reconciliation.ts'
import { OVERLAP_MINUTES, type Walking } from './walk-contracts.ts'

/** Failures of so many days are checked again; every retry ladder has ended by then. */
const CHECKED_DAYS = 30
const BATCH = 100

/** A page of the attempts that were created since the last walk. */
export async function walkAttempts(walking: Walking, walk: Walk): Promise<PlatformResult<WalkedPage>> {
  const since = walk.cursorAt.subtract({ minutes: OVERLAP_MINUTES })
  const page = await walking.connector.billing.listAttemptsSince(since, walk.pageAfter)
  if (!page.ok) return page
  const { items, unreadable, after } = page.value
  if (unreadable.length > 0) await walking.db.inStore(walking.storeId, (ctx) => reportUnreadable(ctx, unreadable))
  const unknown = await walking.db.inStore(walking.storeId, (ctx) => listUnknownAttempts(ctx, items))
  // Results of attempts that are known come first: one of them may have to end before a later one of its cycle can begin here.
  const settled = await applyReportedAttempts(
    walking,
    items.filter((item) => !unknown.includes(item))
  )
  const adopted = unknown.length > 0 ? await adoptUnknown(walking, unknown) : 0
  return { ok: true, value: { seen: items.length + unreadable.length, changed: settled + adopted, after } }
}

/** The walk goes on, and so ends; what such an attempt came to, a person has to look up. Each is reported once. */
async function reportUnreadable(ctx: Ctx, unreadable: UnreadableAttempt[]): Promise<void> {
  for (const { id, idempotencyKey, reason } of unreadable) {
    await notify(ctx, {
      kind: 'charge_unreadable',
      subject: 'A charge on the platform cannot be read',
      message:
        `The billing attempt ${id} with the key ${idempotencyKey} cannot be read: ${reason}. If it was paid, Perennial does not know: ` +
        'please compare the orders of its contract.',
      isOnce: true
    })
  }
}

/**
 * Takes over charges under our keys that are not known here. They are the proof that the database is older than the platform, also
 * where nobody has said that it was restored: then the store is held, and this walk begins anew.
 */
async function adoptUnknown(walking: Walking, unknown: PlatformAttempt[]): Promise<number> {
  const { db, storeId, connector } = walking
  const { restoredAt } = await db.inStore(storeId, storeContext)
  const ids = [...new Set(unknown.map(({ contractId }) => contractId))]
  const held = new Set((await listHeldContracts(db.direct, storeId, ids)).map(({ contractId }) => contractId))
  if (restoredAt === null) {
    if (held.size > 0) await db.inStore(storeId, holdRestoredStore)
    return 0
  }
  const fresh = ids.filter((id) => !held.has(id))
  if (fresh.length > 0) await readAndApplyContracts({ db, connectorOf: async () => connector }, storeId, fresh)
  // An attempt that was open at the time of the backup has ended before a later one of its contract began.
  const open = await db.inStore(storeId, (ctx) => listOpenAttempts(ctx, ids))
  for (const { contractId, idempotencyKey } of open) {
    const found = unwrap(await connector.billing.findAttemptsByKeys(contractId, [idempotencyKey]))
    if (found.length > 0) await applyReportedAttempts(walking, found)
  }
  return db.inStore(storeId, (ctx) => adoptAttempts(ctx, unknown))
}

/** A page of our failed charges, read again: the platform may have corrected one to paid. */
export async function walkFailedAttempts(walking: Walking, walk: Walk): Promise<PlatformResult<WalkedPage>> {
  const { db, storeId, connector } = walking
  const failed = await db.inStore(storeId, (ctx) =>
    listFailedAttempts(ctx, {
      completedAfter: walk.pageAfter
        ? Temporal.Instant.from(walk.pageAfter)
        : ctx.now.subtract({ hours: 24 * CHECKED_DAYS }),
      id: walk.lastId === '' ? 0 : Number(walk.lastId),
      limit: BATCH
    })
  )
  const last = failed.at(-1)
  if (!last) return { ok: true, value: { seen: 0, changed: 0, after: null } }
  const reported = await connector.billing.findAttempts(failed.map(({ platformAttemptId }) => platformAttemptId))
  if (!reported.ok) return reported
  const paid = [...reported.value.values()].filter(({ state }) => state === 'success')
  const changed = await applyReportedAttempts(walking, paid)
  const after = failed.length < BATCH ? null : last.completedAt.toString()
  return { ok: true, value: { seen: failed.length, changed, after, lastId: String(last.id) } }
}

/** A result that is known already changes nothing, nor does one of an attempt that is not ours, unless it is a payment. */
async function applyReportedAttempts({ db, storeId }: Walking, attempts: PlatformAttempt[]): Promise<number> {
  const results = attempts.flatMap((attempt) => resultOf(attempt) ?? [])
  const requiredActions = attempts.flatMap(({ id, idempotencyKey, nextActionUrl }) =>
    nextActionUrl ? [{ idempotencyKey, platformAttemptId: id, actionUrl: nextActionUrl }] : []
  )
  const settled = await db.inStore(storeId, (ctx) => settleAttempts(ctx, results, requiredActions))
  if (settled >= results.length) return settled
  return settled + (await db.inStore(storeId, (ctx) => adoptPayments(ctx, results)))
}
