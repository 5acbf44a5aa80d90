import {
  createLeasedFlights,
  type EndedPiece,
  type Engine,
  type LeasedFlights,
  type Patience,
  type Piece
} from '#kit/engines'
import type { Database } from '#kit/postgres'
import { type Connector, MAX_CALL_MS } from '#platform'
import type { Call, Submitted } from './ask-platform.ts'
import { claimCalls } from './claim-calls.ts'
import { type ClaimedAttempt, claimTimes } from './claims.ts'
import { extendClaims } from './keep-claims.ts'
import { newWriteHistory, writeSubmitted } from './write-submitted.ts'

/** Claimed attempts count as sent, so few are claimed at once: a cancellation in the meantime still stops the others. */
const MAX_CLAIMED = 32

/** So long after its last answer a store that was throttled is taken for one that is not: it was disconnected, or is gone. */
const THROTTLE_MEMORY_MS = 3_600_000

/**
 * `endUnderWay` begins no further reading, and sends no charge that is still searched for: it is due at once for whoever goes on.
 */
export type ChargingTurns = Required<Pick<Engine, 'endUnderWay' | 'letGo' | 'keptLong'>> & {
  /**
   * Claims attempts and asks the platform for them, and writes what was answered meanwhile, also of earlier turns: a call that
   * hangs holds up no other. It is written also where the store has no connector any more; that is thrown when more could be
   * claimed. `isFull`: as many were claimed as may be, so that there may be more. `done` counts attempts that were claimed or
   * written, or are under way.
   */
  turn(storeId: number): Promise<{ done: number; isFull: boolean }>
  /** How many calls are under way, or answered and not written. */
  underWay(storeId: number): number
}

/**
 * Sends the attempts of stores. A claim is kept while its call is under way here, and what is under way is not claimed again.
 * While the platform throttles a store, fewer of its attempts are claimed at once: each that waits for points in vain is asked
 * for again only minutes later.
 */
export function createChargingTurns(options: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  maxCallMs?: number
  patience?: Patience
  /** After its last answer a store is known as throttled for so long; an hour when left out. */
  throttleMemoryMs?: number
}): ChargingTurns {
  const { db, leaseOwner, connectorOf, maxCallMs = MAX_CALL_MS, throttleMemoryMs = THROTTLE_MEMORY_MS } = options
  /** Stores that are throttled: how many of their attempts are claimed at once, and until when that holds. */
  const throttled = new Map<number, { max: number; untilMs: number }>()
  /** Answers that were counted for that: one that cannot be written comes again. */
  const counted = new WeakSet<Submitted>()
  const history = newWriteHistory()

  const maxClaimed = (storeId: number) => {
    const found = throttled.get(storeId)
    return found && performance.now() < found.untilMs ? found.max : MAX_CLAIMED
  }

  const follow = (storeId: number, answers: Submitted[]) => {
    const now = performance.now()
    for (const [id, { untilMs }] of throttled) if (untilMs < now) throttled.delete(id)
    const submitted = answers.filter((one) => !counted.has(one))
    if (submitted.length === 0) return
    for (const one of submitted) counted.add(one)
    const before = maxClaimed(storeId)
    const isThrottled = submitted.some((one) => one.isThrottled)
    const max = isThrottled ? Math.max(1, Math.floor(before / 2)) : before + submitted.length
    if (max >= MAX_CLAIMED) throttled.delete(storeId)
    else throttled.set(storeId, { max, untilMs: now + throttleMemoryMs })
  }

  /** Writes what has ended. What could not be read together is read by itself, unless the work of the store is being ended. */
  const record = async (storeId: number, ended: EndedPiece<ClaimedAttempt, Submitted>[]) => {
    const submitted = ended.flatMap(({ end }) => (end.status === 'fulfilled' ? end.value : []))
    follow(storeId, submitted)
    const again = new Set(flights.isEnding(storeId) ? [] : submitted.filter(({ alone }) => alone.length > 0))
    flights.goOn(
      storeId,
      [...again].flatMap(({ alone }) => alone.map(pieceOf))
    )
    const toWrite = submitted.filter((one) => !again.has(one))
    const written = await writeSubmitted(db, storeId, toWrite, history)
    const endOf = new Map(toWrite.map((one, i) => [one, written[i]!]))
    return ended.map(({ end }) => (end.status === 'fulfilled' && endOf.get(end.value)) || WRITTEN)
  }

  const flights: LeasedFlights<ClaimedAttempt, Submitted> = createLeasedFlights({
    leaseMs: claimTimes(maxCallMs).claimMs,
    patience: options.patience,
    extend: (storeId, attempts) => db.inStore(storeId, (ctx) => extendClaims(ctx, attempts, maxCallMs)),
    record
  })
  const { endUnderWay, letGo, keptLong } = flights
  const underWay = (storeId: number) => flights.load(storeId).underWay

  const claim = (storeId: number, limit: number): Promise<number> =>
    flights.claim(storeId, async (except) => {
      const connector = await connectorOf(storeId)
      const isEnding = () => flights.isEnding(storeId)
      const calls = await claimCalls(db, storeId, connector, { leaseOwner, maxCallMs, limit, except, isEnding })
      return calls.map(pieceOf)
    })

  return {
    async turn(storeId) {
      const limit = flights.free(storeId, maxClaimed(storeId))
      const [begun] = await Promise.allSettled([limit > 0 ? claim(storeId, limit) : 0])
      const ended = await flights.record(storeId)
      if (begun.status === 'rejected') throw begun.reason
      const claimed = begun.value
      return { done: claimed + ended + underWay(storeId), isFull: claimed > 0 && claimed === limit }
    },
    underWay,
    endUnderWay,
    letGo,
    keptLong
  }
}

const WRITTEN: PromiseSettledResult<unknown> = { status: 'fulfilled', value: undefined }

const pieceOf = ({ attempts, ask }: Call): Piece<ClaimedAttempt, Submitted> => ({ things: attempts, work: ask })
