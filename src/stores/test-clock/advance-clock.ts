import { isoOf } from '#kit/clock'
import type { Runner } from '#kit/engines'
import { type Database, isTemporary } from '#kit/postgres'
import { Busy, invalidBody, invalidField, Refusal } from '#kit/refusal'
import { freezeClock, setClock, storeNow } from '../clock.ts'
import { requireStore } from '../find-store.ts'

/** The furthest that a test clock advances at once: a typing error must not run decades of renewals. */
const LONGEST_YEARS = 10

type Advance = { by?: string; to?: string }

/**
 * Advances a sandbox store's clock, stopping at every instant at which something falls due and doing all of it there, as if the
 * time had passed. Returns when everything due is done, with the time before. Refuses live stores, and a clock that would go back.
 */
export async function advanceClock(
  deps: { db: Database; runner: Runner },
  storeId: number,
  advance: Advance,
  onStep: (now: Temporal.Instant) => void = () => {}
): Promise<{ from: Temporal.Instant; now: Temporal.Instant; settled: true }> {
  const { db, runner } = deps
  return runner.alone(storeId, async (store) => {
    const { timezone } = await requireStore(db, `store_${storeId}`)
    targetOf(advance, await storeNow(db, storeId), timezone)
    // From here on the clock does not move between steps, also in a store that was in real time.
    const start = await db.inStore(storeId, freezeClock)
    const target = targetOf(advance, start, timezone)
    let reached = start
    const set = async (to: Temporal.Instant) => {
      await db.inStore(storeId, (ctx) => setClock(ctx, to))
      reached = to
    }
    try {
      await store.settle()
      for (;;) {
        const due = await store.nextDueAt()
        if (!due || Temporal.Instant.compare(due, target) > 0) break
        await set(due)
        onStep(due)
        await store.settle()
      }
      await set(target)
      await store.settle()
    } catch (err) {
      if (isTemporary(err)) throw brokenOff('The database does not respond at the moment', reached, target)
      throw err instanceof Refusal && err.code === 'unavailable' ? brokenOff(err.message, reached, target) : err
    }
    return { from: start, now: target, settled: true }
  })
}

/** Repeating `by` would move the clock too far: part of the way is done. */
const brokenOff = (message: string, reached: Temporal.Instant, target: Temporal.Instant) =>
  new Busy(
    `${message}. The clock has moved to ${isoOf(reached)}. To finish this move, advance it to ${isoOf(target)} (\`to\`), not \`by\` the same duration again`
  )

function targetOf({ by, to }: Advance, now: Temporal.Instant, timezone: string): Temporal.Instant {
  if ((by === undefined) === (to === undefined)) throw invalidBody('must have exactly one of by and to')
  const target = by === undefined ? instantFrom(to!) : after(now, by, timezone)
  if (Temporal.Instant.compare(target, now) < 0) throw invalidField('to', `must be an instant from ${now} on`)
  const longest = now.toZonedDateTimeISO('UTC').add({ years: LONGEST_YEARS }).toInstant()
  if (Temporal.Instant.compare(target, longest) > 0) {
    throw by === undefined
      ? invalidField('to', `must be an instant at most ${LONGEST_YEARS} years after ${now}, where the clock is`)
      : tooLong()
  }
  return target.round({ smallestUnit: 'millisecond', roundingMode: 'floor' })
}

/** Adds months and days on the shop's calendar, so that P1M keeps the local time. */
function after(now: Temporal.Instant, by: string, timezone: string): Temporal.Instant {
  let duration: Temporal.Duration
  try {
    duration = Temporal.Duration.from(by)
  } catch {
    throw invalidField('by', `must be an ISO 8601 duration such as P1M, P3D or PT2H, not ${JSON.stringify(by)}`)
  }
  if (duration.sign < 0) throw invalidField('by', 'must be a duration forward')
  try {
    return now.toZonedDateTimeISO(timezone).add(duration).toInstant()
  } catch {
    throw tooLong()
  }
}

const tooLong = () => invalidField('by', `must be a duration of at most ${LONGEST_YEARS} years`)

function instantFrom(to: string): Temporal.Instant {
  try {
    return Temporal.Instant.from(to)
  } catch {
    throw invalidField('to', `must be an instant such as 2026-12-01T00:00:00Z, not ${JSON.stringify(to)}`)
  }
}
