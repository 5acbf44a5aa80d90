import type { StoreStatus } from '#kit/engines'
import { publicId } from '#kit/ids'
import { type Ctx, type Database, UnknownStore } from '#kit/postgres'
import { findClock, listStatuses, lockClock, writeClock } from './queries.ts'
import { clockBackwards, clockOfLiveStore } from './refusals.ts'

/** What time it is in the life of the store: its test clock, or real time. For a transaction, use `ctx.now`. */
export async function storeNow(db: Database, storeId: number): Promise<Temporal.Instant> {
  const clock = await findClock(db.direct, storeId)
  if (!clock) throw new UnknownStore(`There is no store ${publicId('store', storeId)}`)
  return clock.now
}

/** What the runner needs to know of these stores, or of all: their time, and whether their platform can be worked with. */
export function storeStatuses(db: Database, storeIds: number[] | null): Promise<StoreStatus[]> {
  return listStatuses(db.acrossStores, storeIds)
}

/**
 * Sets a sandbox store's clock, or with null lets it run with real time again. It never goes back: what happened stays
 * in the past. `ctx.now` of this transaction keeps the time before.
 */
export async function setClock(ctx: Ctx, to: Temporal.Instant | null): Promise<void> {
  const clock = await lockClock(ctx)
  if (!clock.sandbox) throw clockOfLiveStore(clock.domain)
  const now = clock.clockAt ?? clock.realNow
  const wanted = to?.round({ smallestUnit: 'millisecond', roundingMode: 'floor' }) ?? null
  const lands = wanted ?? clock.realNow
  if (Temporal.Instant.compare(lands, now) < 0) throw clockBackwards(now, lands)
  await writeClock(ctx, wanted)
}

/** Makes a sandbox store's clock stand still where it is, and tells where that is. */
export async function freezeClock(ctx: Ctx): Promise<Temporal.Instant> {
  const clock = await lockClock(ctx)
  if (!clock.sandbox) throw clockOfLiveStore(clock.domain)
  if (clock.clockAt) return clock.clockAt
  const now = clock.realNow.round({ smallestUnit: 'millisecond', roundingMode: 'floor' })
  await writeClock(ctx, now)
  return now
}
