import { Agent } from 'undici'
import { type AddressRules, checkNetworks, guardedConnector } from '#kit/addresses'
import { realNow } from '#kit/clock'
import type { Engine } from '#kit/engine'
import { type Ctx, type Database, instant, row } from '#kit/postgres'
import { claimDueDeliveries, listTargets, nextDelivery, releaseDeliveries } from './delivery-queries.ts'
import { rulesFor, type WebhookSettings } from './endpoint.ts'
import { createLanes } from './lanes.ts'
import { postDelivery } from './post-delivery.ts'
import { type FinishedTry, recordTries } from './record-tries.ts'
import { RETRY_SCHEDULE, type RetrySchedule } from './retry-schedule.ts'
import { secretPurpose, signatureHeaders, signingKeys } from './sign-delivery.ts'

export type DeliveryEngineOptions = WebhookSettings & {
  db: Database
  /** The worker's id. */
  leaseOwner: number
  schedule?: RetrySchedule
  /** An endpoint whose tries have all failed for so long (store time) is disabled at the next failure. */
  disableAfterHours?: number
  /** For the whole of one try; less than half the lease. */
  timeoutMs?: number
  perEndpoint?: number
  overall?: number
  /** Hears of every try that got an outcome: `delivered`, or why it failed. */
  onTry?: (outcome: string, seconds: number) => void
}

export type DeliveryEngine = Engine & {
  /** Begins no more tries, lets those under way end for `graceMs`, then cuts them off uncounted. */
  stop(graceMs?: number): Promise<void>
}

const TIMEOUT_MS = 30_000
// The lease is 60 s: what has waited in memory for longer than this could not be tried and recorded within it.
const START_WITHIN_MS = 25_000
// A run comes back this often while receivers keep it waiting, so that what falls due elsewhere is not held up.
const COME_BACK_MS = 500

type Parcel = Awaited<ReturnType<typeof claim>>[number]

/** The sender: posts due deliveries and writes down how each try went. `runOnce` counts what is still under way too. */
export function createDeliveryEngine(options: DeliveryEngineOptions): DeliveryEngine {
  const { db, schedule = RETRY_SCHEDULE, disableAfterHours = 120, timeoutMs = TIMEOUT_MS } = options
  const agents = openAgents(options)
  const cutOff = new AbortController()
  let stopping = false

  const pass = async (parcel: Parcel): Promise<{ result: FinishedTry; answered: boolean }> => {
    if (stopping || performance.now() > parcel.startBy) return { result: { ...parcel, answer: null }, answered: true }
    const startedAt = parcel.testClock ? parcel.claimedAt : realNow()
    // Real time even under a test clock: receivers compare it with their own.
    const sentAtSeconds = Math.floor(Date.now() / 1000)
    const body = Buffer.from(parcel.body)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Perennial-Webhooks/1',
      ...signatureHeaders(parcel.keys, { webhookId: parcel.webhookId, body, sentAtSeconds })
    }
    const agent = parcel.sandbox ? agents.sandbox : agents.live
    const answer = await postDelivery(agent, parcel.url, { headers, body, timeoutMs }, cutOff.signal)
    if (answer) options.onTry?.(answer.failure ?? 'delivered', answer.durationMs / 1000)
    return { result: { ...parcel, startedAt, answer }, answered: answer === null || answer.responseCode !== null }
  }

  const lanes = createLanes<Parcel, FinishedTry>({
    perLane: options.perEndpoint ?? 8,
    overall: options.overall ?? 256,
    pass
  })

  /** Returns how many tries it wrote down. */
  const record = async (storeId: number, waitMs: number): Promise<number> => {
    const passed = await lanes.take(storeId, waitMs)
    if (passed.length === 0) return 0
    let written = false
    try {
      await db.inStore(storeId, async (ctx) => {
        const results = passed.map((p) => p.result)
        const unsent = results.filter((r) => r.answer === null)
        if (unsent.length > 0) await releaseDeliveries(ctx, unsent)
        await recordTries(ctx, results, { schedule, disableAfterHours })
      })
      written = true
    } finally {
      lanes.done(storeId, passed, written)
    }
    return passed.length
  }

  return {
    name: 'deliveries',

    async nextDueAt(storeId) {
      const next = await db.direct.maybeOne(row({ nextTryAt: instant }), nextDelivery(storeId))
      return next?.nextTryAt ?? null
    },

    async runOnce(storeId) {
      if (!stopping) lanes.add(await db.inStore(storeId, (ctx) => claim(ctx, options, lanes)))
      return (await record(storeId, COME_BACK_MS)) || lanes.underWay(storeId)
    },

    async stop(graceMs = 5_000) {
      stopping = true
      const timer = setTimeout(() => cutOff.abort(), graceMs)
      for (let busy = lanes.busyStores(); busy.length > 0; busy = lanes.busyStores()) {
        await Promise.all(busy.map((storeId) => record(storeId, 50)))
      }
      clearTimeout(timer)
      await Promise.all([agents.live.destroy(), agents.sandbox.destroy()])
    }
  }
}

/** Keep-alive pools; those of sandbox stores apart, since only these may reach this machine. */
function openAgents({ addresses, timeoutMs = TIMEOUT_MS }: DeliveryEngineOptions) {
  checkNetworks(addresses.allow)
  const open = (rules: AddressRules) =>
    new Agent({
      connect: guardedConnector(rules, { timeout: Math.min(10_000, timeoutMs) }),
      keepAliveTimeout: 10_000,
      maxHeaderSize: 16 * 1024,
      pipelining: 1,
      // The limit on the whole try stands in for both.
      headersTimeout: 0,
      bodyTimeout: 0
    })
  return { live: open(rulesFor({ sandbox: false }, addresses)), sandbox: open(rulesFor({ sandbox: true }, addresses)) }
}

async function claim(
  ctx: Ctx,
  { leaseOwner, vault }: Pick<DeliveryEngineOptions, 'leaseOwner' | 'vault'>,
  lanes: { room(storeId: number): Map<number, number>; roomElsewhere: number }
) {
  const startBy = performance.now() + START_WITHIN_MS
  const { storeId } = ctx
  const claimed = await claimDueDeliveries(ctx, leaseOwner, lanes.room(storeId), lanes.roomElsewhere)
  if (claimed.length === 0) return []
  const rows = await listTargets(ctx, [...new Set(claimed.map((c) => c.endpointId))])
  const targets = new Map(
    rows.map(({ id, secret, ...target }) => {
      return [id, { ...target, keys: signingKeys(vault.open(secretPurpose(storeId), secret)) }]
    })
  )
  return claimed
    .sort((a, b) => Temporal.Instant.compare(a.nextTryAt, b.nextTryAt) || a.id - b.id)
    .map((delivery) => ({ ...delivery, ...targets.get(delivery.endpointId)!, storeId, claimedAt: ctx.now, startBy }))
}
