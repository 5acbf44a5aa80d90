import type { StoreStatus } from '#kit/engines'
import { publicId } from '#kit/ids'
import { type Ctx, type Database, UnknownStore } from '#kit/postgres'
import { findClock, listStatuses, lockClock, writeClock } from './queries.ts'
import { clockBackwards, clockOfLiveStore } from './refusals.ts'

/** The store's time: its test clock, or real time. In a transaction, use `ctx.now`. */
export async function storeNow(db: Database, storeId: number): Promise<Temporal.Instant> {
  const clock = await findClock(db.direct, storeId)
  if (!clock) throw new UnknownStore(`There is no store ${publicId('store', storeId)}`)
  return clock.now
}

/** The time of these stores, or of all, and whether their platform is connected: what the runner needs to know. */
export function storeStatuses(db: Database, storeIds: number[] | null): Promise<StoreStatus[]> {
  return listStatuses(db.acrossStores, storeIds)
}

/**
 * Sets the clock of a sandbox store; null returns it to real time. Refuses to set it back. `ctx.now` of this transaction
 * stays the time before.
 */
export async function setClock(ctx: Ctx, to: Temporal.Instant | null): Promise<void> {
  const clock = await lockClock(ctx)
  if (!clock.sandbox) throw clockOfLiveStore(clock.domain)
  const now = clock.clockAt ?? clock.realNow
  const clockAt = to?.round({ smallestUnit: 'millisecond', roundingMode: 'floor' }) ?? null
  const next = clockAt ?? clock.realNow
  if (Temporal.Instant.compare(next, now) < 0) throw clockBackwards(now, next)
  await writeClock(ctx, clockAt)
}

/** Stops the clock of a sandbox store at its present time, and returns that time. */
export async function freezeClock(ctx: Ctx): Promise<Temporal.Instant> {
  const clock = await lockClock(ctx)
  if (!clock.sandbox) throw clockOfLiveStore(clock.domain)
  if (clock.clockAt) return clock.clockAt
  const now = clock.realNow.round({ smallestUnit: 'millisecond', roundingMode: 'floor' })
  await writeClock(ctx, now)
  return now
}
