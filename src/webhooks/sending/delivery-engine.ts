import { realNowMs } from '#kit/clock'
import { type Engine, nextDueBy } from '#kit/engines'
import type { Measure } from '#kit/metrics'
import { openGuardedAgents } from '#kit/outbound'
import type { Ctx, Database } from '#kit/postgres'
import { RETRY_SCHEDULE, type RetrySchedule } from '../delivery/delivery-retry-schedule.ts'
import { dueDeliveries, nextDelivery, releaseLeasedDeliveries } from '../delivery/due-deliveries.ts'
import { releaseDeliveries } from '../delivery/open-deliveries.ts'
import type { WebhookSettings } from '../endpoints/endpoint.ts'
import { webhookTries } from '../metrics.ts'
import { deliveryHeaders } from '../signing/sign-delivery.ts'
import { createEndpointConcurrency } from './endpoint-concurrency.ts'
import type { Reply } from './endpoint-window.ts'
import { type LeasedDelivery, leaseDueDeliveries, type UnsignableTry } from './lease-due-deliveries.ts'
import { type Post, postDelivery } from './post-delivery.ts'
import { type FinishedTry, recordTries } from './record-tries.ts'

export type DeliveryEngineOptions = WebhookSettings & {
  db: Database
  /** The node's id. */
  leaseOwner: number
  schedule?: RetrySchedule
  /** For the whole of one try; less than half the lease. */
  timeoutMs?: number
  perEndpoint?: number
  overall?: number
  /** A receiver that takes longer to respond is slow; less than `timeoutMs`. */
  slowMs?: number
  /** Whether the clocks agree; otherwise nothing is leased and signed, and the deliveries wait. */
  maySign?: () => boolean
  /** Measures every try that has an outcome. */
  measure?: Measure
}

export type DeliveryEngine = Engine & {
  /** Starts no more tries, waits up to `graceMs` for those under way, then ends them as interrupted. */
  stop(graceMs?: number): Promise<void>
}

const TIMEOUT_MS = 30_000
// The lease is 60 s: what has waited in memory for longer than this could not be tried and recorded within it.
const START_WITHIN_MS = 25_000
// A receiver that takes longer to respond does not take the places of those that do not.
const SLOW_MS = 2_000
// A run returns this often while receivers keep it waiting, so that work that becomes due elsewhere does not wait.
const COME_BACK_MS = 500

type Parcel = LeasedDelivery & {
  storeId: number
  isRetry: boolean
  claimedAtMs: number
  startBy: number
  post: Post
}
type Due = { parcels: Parcel[]; unsignable: UnsignableTry[]; interrupted: number; isOnHold: boolean }

/** The sender: posts due deliveries and records the result of each try. `runOnce` also counts what is still under way. */
export function createDeliveryEngine(options: DeliveryEngineOptions): DeliveryEngine {
  const { db, vault, leaseOwner, timeoutMs = TIMEOUT_MS, maySign = () => true } = options
  const outcomes = { schedule: options.schedule ?? RETRY_SCHEDULE }
  const agents = openGuardedAgents(options.addresses, { timeoutMs })
  const cutOffs = new Set<() => void>()
  const turns = new Set<Promise<number>>()
  let stopping = false

  const unsent = (parcel: Parcel): FinishedTry => ({ ...parcel, response: null })

  const deliver = async (parcel: Parcel): Promise<{ result: FinishedTry; reply: Reply }> => {
    if (stopping || performance.now() > parcel.startBy) return { result: unsent(parcel), reply: 'not called' }
    const startedAtMs = parcel.testClock ? parcel.claimedAtMs : realNowMs()
    const response = await postDelivery(agents.of(parcel), parcel.post, cutOffs)
    options.measure?.(webhookTries, response.durationMs / 1000, { outcome: response.failure ?? 'delivered' })
    const reply = response.responseCode === null ? 'none' : { ms: response.durationMs }
    return { result: { ...parcel, startedAtMs, response }, reply }
  }

  const concurrency = createEndpointConcurrency<Parcel, FinishedTry>({
    perEndpoint: options.perEndpoint ?? 8,
    overall: options.overall ?? 256,
    slowMs: options.slowMs ?? SLOW_MS,
    deliver
  })

  /** Leases what is due, in the transaction that records what has finished. */
  const takeDue = async (ctx: Ctx): Promise<Due> => {
    const startBy = performance.now() + START_WITHIN_MS
    const quotas = concurrency.quotas(ctx.storeId)
    const { taken, ...others } = await leaseDueDeliveries(ctx, { vault, leaseOwner, quotas, ...outcomes })
    const { storeId } = ctx
    const claimedAtMs = ctx.now.epochMilliseconds
    // Signed together, which is much cheaper than one by one between the POSTs.
    const postOf = (delivery: LeasedDelivery) => {
      const body = Buffer.from(delivery.body)
      return { ...delivery.target, headers: deliveryHeaders(delivery, body, ctx.realNowMs), body, timeoutMs }
    }
    const leased = { storeId, claimedAtMs, startBy }
    const parcels = taken.map((one) => ({ ...one, ...leased, isRetry: one.tries > 0, post: postOf(one) }))
    return { ...others, parcels, isOnHold: ctx.isRestored }
  }

  /** Waits a while for tries to end; returns how many it recorded. `leases`: and begins others in their place. */
  const turn = async (storeId: number, waitMs: number, leases: boolean): Promise<number> => {
    const passed = await concurrency.take(storeId, waitMs)
    const mayLease = () => leases && !stopping && maySign()
    if (passed.length === 0 && !mayLease()) return 0
    let due: Due | null = null
    try {
      due = await db.inStore(storeId, async (ctx) => {
        const results = passed.map((p) => p.result)
        // Locks endpoints, so it comes first.
        await recordTries(ctx, results, outcomes)
        const notSent = results.filter((r) => r.response === null)
        if (notSent.length > 0) await releaseDeliveries(ctx, notSent)
        return mayLease() ? takeDue(ctx) : { parcels: [], unsignable: [], interrupted: 0, isOnHold: ctx.isRestored }
      })
    } finally {
      concurrency.done(storeId, passed, due !== null)
    }
    concurrency.add(storeId, due.parcels)
    // A hold began after these were leased: what has not been sent yet waits for its end.
    if (due.isOnHold) concurrency.drop(storeId, unsent)
    const { unsignable, interrupted } = due
    if (unsignable.length > 0) await db.inStore(storeId, (ctx) => recordTries(ctx, unsignable, outcomes))
    for (const { response } of unsignable) options.measure?.(webhookTries, 0, { outcome: response.failure })
    return passed.length + unsignable.length + interrupted
  }

  return {
    name: 'deliveries',
    stage: 'send',
    releaseLeases: releaseLeasedDeliveries,
    restsAfterRestore: true,
    due: dueDeliveries,

    ...nextDueBy(db, nextDelivery),

    async runOnce(storeId) {
      const mine = turn(storeId, COME_BACK_MS, true)
      turns.add(mine)
      try {
        return (await mine) || concurrency.underWay(storeId)
      } finally {
        turns.delete(mine)
      }
    },

    async letGo(storeId) {
      concurrency.drop(storeId, unsent)
      while (concurrency.underWay(storeId) > 0) await turn(storeId, COME_BACK_MS, false)
    },

    async stop(graceMs = 5_000) {
      stopping = true
      const timer = setTimeout(() => {
        for (const cutOff of [...cutOffs]) cutOff()
      }, graceMs)
      try {
        // A run that was leasing when the stop began leaves deliveries in memory that must be released.
        await Promise.allSettled(turns)
        for (let busy = concurrency.busyStores(); busy.length > 0; busy = concurrency.busyStores()) {
          await Promise.all(busy.map((storeId) => turn(storeId, 50, false)))
        }
      } finally {
        clearTimeout(timer)
        for (const cutOff of [...cutOffs]) cutOff()
        await agents.destroy()
      }
    }
  }
}
