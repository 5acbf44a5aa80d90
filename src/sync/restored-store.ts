import { skipPositions } from '#kit/outbox'
import { type Ctx, type Database, int, row, type Statement, sql, UnknownStore } from '#kit/postgres'
import { recheckAccounts, recheckCodes } from '#spending'
import { listStores, markAllRestored, markRestored, notify, type Store, storeContext, unmarkRestored } from '#stores'
import { enqueuePushesOfDates } from '#subscriptions'
import { READ_AFTER_RESTORE, restartAllReconciliations, restartReconciliations } from './reconciler/reconciliation.ts'

/**
 * Numbers of events that receivers saw after the backup are not given again: one that ignores what it has handled, or reads on from
 * the last one, would miss the new events. So the positions of facts continue this far ahead.
 */
const POSITIONS_AHEAD = 10_000_000

/**
 * Holds a store whose rows come from a backup: nothing is charged, pushed or sent until its platform was read, charges first, then
 * every contract, then the failed charges. What the platform did since the backup is taken over on the way. Repeated, it begins
 * anew.
 */
export async function holdRestoredStore(ctx: Ctx): Promise<void> {
  await markRestored(ctx)
  await restartReconciliations(ctx)
  await announceHold(ctx)
}

/**
 * What holds every store of the installation, for one transaction: in the one that loads a backup no store is live for a moment.
 * Where it is part of another, `holdRestoredStores` follows.
 */
export const holdAllStores = (): Statement[] => [restartAllReconciliations(), markAllRestored()]

/**
 * Holds every store of the installation, all at once before anything else: what follows takes its time in each store, or fails.
 * Returns how many. Those that are being deleted stay that.
 */
export async function holdRestoredStores(db: Database): Promise<number> {
  await db.inInstallation(async (tx) => {
    for (const statement of holdAllStores()) await tx.run(statement)
  })
  let held = 0
  for (const { storeId, status } of await listStores(db)) {
    if (status === 'deleting') continue
    try {
      await db.inStore(storeId, announceHold)
      held++
    } catch (err) {
      // Its deletion has begun meanwhile.
      if (!(err instanceof UnknownStore)) throw err
    }
  }
  return held
}

async function announceHold(ctx: Ctx): Promise<void> {
  await skipPositions(ctx, POSITIONS_AHEAD)
  await notify(ctx, {
    kind: 'restored',
    subject: 'The store was restored from a backup and is on hold',
    message:
      'The database is older than the platform. Nothing is charged, changed on the platform or sent to webhook endpoints until ' +
      'all charges and contracts there have been read. New subscriptions and changes of plans are refused meanwhile; other requests ' +
      'are accepted and reach the platform afterwards. Reading begins by itself and ends with another message. If the platform can ' +
      'no longer be reached, `perennial store release` ends the hold.'
  })
}

/** Ends the hold once the platform was read to its end. */
export async function releaseWhenRead(ctx: Ctx): Promise<void> {
  const { restoredAt } = await storeContext(ctx)
  if (restoredAt === null) return
  const { left, changed } = await ctx.tx.one(
    row({ left: int, changed: int }),
    sql`
    select count(*) filter (where finished_at is null) as left, coalesce(sum(changed), 0)::bigint as changed
      from reconciliations where store_id = ${ctx.storeId} and kind = any(${[...READ_AFTER_RESTORE]}::text[])`
  )
  if (left > 0) return
  await release(
    ctx,
    `All charges and contracts of the platform have been read; ${changed} of them had changed since the backup and were taken over.`
  )
}

/** Ends the hold of a store by hand, although its platform was not read to the end. False when it is not held. */
export function releaseStore(db: Database, { storeId }: Pick<Store, 'storeId'>): Promise<boolean> {
  return db.inStore(storeId, (ctx) =>
    release(
      ctx,
      'An operator ended the hold before the platform was read: it may charge again what was charged before.'
    )
  )
}

async function release(ctx: Ctx, message: string): Promise<boolean> {
  if (!(await unmarkRestored(ctx))) return false
  // A date that was not on its way there when the backup was made.
  await enqueuePushesOfDates(ctx)
  await recheckAccounts(ctx)
  await recheckCodes(ctx)
  await notify(ctx, { kind: 'restore_finished', subject: 'The restored store is in operation again', message })
  return true
}
