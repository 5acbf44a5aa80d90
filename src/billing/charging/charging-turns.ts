import { createFlights, createLeaseKeeper, endFlights, type Patience, throwFirst } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { type Connector, MAX_CALL_MS } from '#platform'
import type { Call, Submitted } from './ask-platform.ts'
import { type ClaimedAttempt, claimTimes } from './claims.ts'
import { extendClaims } from './keep-claims.ts'
import { claimCalls } from './submit-attempts.ts'
import { writeSubmitted } from './write-submitted.ts'

/** Claimed attempts count as sent, so few are claimed at once: a cancellation in the meantime still stops the others. */
const MAX_CLAIMED = 32

/** What came of a call, for its attempts. */
type Answer = { attempts: ClaimedAttempt[]; end: PromiseSettledResult<Submitted> }

export type ChargingTurns = {
  /**
   * Claims attempts and asks the platform for them, and writes what was answered meanwhile, also of earlier turns: a call that
   * hangs holds up no other. It is written also where the store has no connector any more; then that is thrown. `isFull`: as many
   * were claimed as may be, so that there may be more. `done` counts attempts that were claimed or written, or are under way.
   */
  turn(storeId: number): Promise<{ done: number; isFull: boolean }>
  /** How many calls are under way, or answered and not written. */
  underWay(storeId: number): number
  /** Waits for all of them and writes what they came to; begins no further reading, and sends no charge that is still searched for. */
  endUnderWay(storeId: number): Promise<void>
}

/**
 * Sends the attempts of stores. A claim is kept while its call is under way here, and what is under way is not claimed again. While the
 * platform throttles a store, fewer of its attempts are claimed at once: each that waits for points in vain is asked for again only
 * minutes later.
 */
export function createChargingTurns(options: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  maxCallMs?: number
  patience?: Patience
}): ChargingTurns {
  const { db, leaseOwner, connectorOf, maxCallMs = MAX_CALL_MS } = options
  const flights = createFlights<Answer>(options.patience)
  const leases = createLeaseKeeper<ClaimedAttempt>({
    leaseMs: claimTimes(maxCallMs).claimMs,
    extend: (storeId, attempts) => db.inStore(storeId, (ctx) => extendClaims(ctx, attempts, maxCallMs))
  })
  /** Stores that are throttled: how many of their attempts are claimed at once. */
  const throttled = new Map<number, number>()

  /** Stores whose work is being ended: charges that are still searched for are not sent any more. */
  const ending = new Set<number>()
  const underWay = (storeId: number) => flights.load(storeId).underWay

  const follow = (storeId: number, submitted: Submitted[]) => {
    const before = throttled.get(storeId) ?? MAX_CLAIMED
    const isThrottled = submitted.some((one) => one.isThrottled)
    const max = isThrottled ? Math.max(1, Math.floor(before / 2)) : before + submitted.length
    if (max >= MAX_CLAIMED) throttled.delete(storeId)
    else throttled.set(storeId, max)
  }

  const begin = (storeId: number, calls: Call[]) =>
    flights.start(
      storeId,
      calls.map(({ attempts, ask }) => async () => {
        const [end] = await Promise.allSettled([ask()])
        return { attempts, end }
      })
    )

  const claim = async (storeId: number, limit: number): Promise<number> => {
    if (limit === 0) return 0
    const connector = await connectorOf(storeId)
    const from = performance.now()
    const except = leases.kept(storeId)
    const calls = await claimCalls(db, storeId, connector, {
      leaseOwner,
      maxCallMs,
      limit,
      except,
      isEnding: () => ending.has(storeId)
    })
    const claimed = calls.flatMap(({ attempts }) => attempts)
    leases.keep(storeId, claimed, from)
    begin(storeId, calls)
    return claimed.length
  }

  /** Writes what has ended. What could not be read together is read by itself, unless that `isLast`. */
  const record = async (storeId: number, isLast = false): Promise<number> => {
    const answers = valuesOf(await flights.take(storeId))
    const ends = answers.map(({ end }) => end)
    const submitted = valuesOf(ends)
    follow(storeId, submitted)
    const again = isLast ? [] : submitted.filter(({ alone }) => alone.length > 0)
    begin(
      storeId,
      again.flatMap(({ alone }) => alone)
    )
    const underWayAgain = new Set(again.flatMap(({ attempts }) => attempts))
    try {
      const toWrite = submitted.filter((one) => !again.includes(one))
      await writeSubmitted(db, storeId, toWrite)
    } finally {
      const over = answers.flatMap(({ attempts }) => attempts).filter((attempt) => !underWayAgain.has(attempt))
      leases.letGo(storeId, over)
    }
    throwFirst(ends)
    return answers.length
  }

  return {
    async turn(storeId) {
      const limit = flights.free(storeId, throttled.get(storeId) ?? MAX_CLAIMED)
      const [begun] = await Promise.allSettled([claim(storeId, limit)])
      const ended = await record(storeId)
      if (begun.status === 'rejected') throw begun.reason
      const claimed = begun.value
      return { done: claimed + ended + underWay(storeId), isFull: claimed > 0 && claimed === limit }
    },
    underWay,
    async endUnderWay(storeId) {
      ending.add(storeId)
      try {
        await endFlights(flights, storeId, () => record(storeId, true))
      } finally {
        ending.delete(storeId)
      }
    }
  }
}

const valuesOf = <T>(ended: PromiseSettledResult<T>[]): T[] =>
  ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
