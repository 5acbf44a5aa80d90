import { createFlights, type Patience } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { type Connector, MAX_CALL_MS } from '#platform'
import type { Submitted } from './ask-platform.ts'
import { claimCalls } from './submit-attempts.ts'
import { writeSubmitted } from './write-submitted.ts'

/** Claimed attempts count as sent, so few are claimed at once: a cancellation in the meantime still stops the others. */
const MAX_CLAIMED = 32
const NOTHING = { calls: [], claimed: 0 }

export type ChargingTurns = {
  /**
   * Claims attempts and asks the platform for them, and writes what was answered meanwhile, also of earlier turns: a call that
   * hangs holds up no other. `isFull`: as many were claimed as may be, so that there may be more. `done` counts attempts that were
   * claimed or written, or are under way.
   */
  turn(storeId: number): Promise<{ done: number; isFull: boolean }>
  /** How many calls are under way, or answered and not written. */
  underWay(storeId: number): number
  /** Waits for all of them and writes what they came to. */
  endUnderWay(storeId: number): Promise<void>
}

/**
 * Sends the attempts of stores. While the platform throttles a store, fewer of its attempts are claimed at once: each that waits
 * for points in vain is asked for again only minutes later.
 */
export function createChargingTurns(options: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  maxCallMs?: number
  patience?: Patience
}): ChargingTurns {
  const { db, leaseOwner, connectorOf, maxCallMs = MAX_CALL_MS } = options
  const flights = createFlights<Submitted>(options.patience)
  /** Stores that are throttled: how many of their attempts are claimed at once. */
  const throttled = new Map<number, number>()

  const underWay = (storeId: number) => flights.load(storeId).underWay

  const follow = (storeId: number, submitted: Submitted[]) => {
    const before = throttled.get(storeId) ?? MAX_CLAIMED
    const isThrottled = submitted.some((one) => one.isThrottled)
    const most = isThrottled ? Math.max(1, Math.floor(before / 2)) : before + submitted.length
    if (most >= MAX_CLAIMED) throttled.delete(storeId)
    else throttled.set(storeId, most)
  }

  const record = async (storeId: number): Promise<number> => {
    const ended = await flights.take(storeId)
    const submitted = ended.flatMap((end) => (end.status === 'fulfilled' ? end.value : []))
    follow(storeId, submitted)
    await writeSubmitted(db, storeId, submitted)
    const failed = ended.find((end) => end.status === 'rejected')
    if (failed) throw failed.reason
    return ended.length
  }

  return {
    async turn(storeId) {
      const limit = flights.free(storeId, throttled.get(storeId) ?? MAX_CLAIMED)
      const { calls, claimed } =
        limit > 0
          ? await claimCalls(db, storeId, await connectorOf(storeId), { leaseOwner, maxCallMs, limit })
          : NOTHING
      flights.start(storeId, calls)
      const ended = await record(storeId)
      return { done: claimed + ended + underWay(storeId), isFull: claimed > 0 && claimed === limit }
    },
    underWay,
    async endUnderWay(storeId) {
      while (underWay(storeId) > 0) await record(storeId)
    }
  }
}
