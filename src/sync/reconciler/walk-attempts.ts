import { adoptPayments, listFailedAttempts, resultOf, settleAttempts } from '#billing'
import type { PlatformAttempt, PlatformResult } from '#platform'
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
  const { items, after } = page.value
  return { ok: true, value: { seen: items.length, changed: await applyReportedAttempts(walking, items), after } }
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
  const requiredActions = attempts.flatMap(({ idempotencyKey, nextActionUrl }) =>
    nextActionUrl ? [{ idempotencyKey, actionUrl: nextActionUrl }] : []
  )
  const settled = await db.inStore(storeId, (ctx) => settleAttempts(ctx, results, requiredActions))
  if (settled >= results.length) return settled
  return settled + (await db.inStore(storeId, (ctx) => adoptPayments(ctx, results)))
}
