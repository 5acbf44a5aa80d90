import { createMetricsRollupEngine } from '#analytics'
import type { Engine } from '#kit/engines'
import { createJobEngine } from '#kit/jobs'
import { createFactEngines } from '#kit/outbox'
import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import { rollUpTotals } from '#views'
import { consumers } from '../src/app/consumers.ts'
import { jobs } from '../src/app/jobs.ts'
import { noMail } from '../src/app/mail.ts'
import { type AttemptResult, resultOf } from '../src/billing/attempts/attempt-result.ts'
import { createChargingTurns } from '../src/billing/charging/charging-turns.ts'
import { openDueAttempts } from '../src/billing/charging/open-attempts.ts'
import { settleAttempts } from '../src/billing/settling/settle-attempts.ts'
import { withCalls } from '../test/connectors.ts'
import type { BuiltStore } from '../test/store-builder.ts'
import { testVault } from '../test/store-builder.ts'
import { analyzeAsServed } from './analyze-as-served.ts'
import { stubConnector } from './stub-connector.ts'

/** As the engines have them. */
const OPENED_AT_ONCE = 200
const SENT_AT_ONCE = 32

/** CPU in ms. */
export type Cost = { service: number; database: number }
export type Stage = 'enqueue' | 'send' | 'settle' | 'push' | 'facts'

/**
 * Renews all due subscriptions of a store in this process, stage by stage instead of all at once, so that the CPU time of each
 * can be told apart: opening the attempts of what is due, sending them to a platform that has no result yet, settling the
 * results, pushing the next dates, and dispatching and rolling up the facts. Nothing else may be running here or on the server,
 * whose CPU time is `serverMs`.
 * `settled`: how many attempts ended.
 */
export async function runStages(
  db: Database,
  { storeId, inStore }: BuiltStore,
  { now, serverMs }: { now: Temporal.Instant; serverMs: () => number }
): Promise<{ costs: Record<Stage, Cost>; settled: number }> {
  const { connector, results } = pendingConnector(now)
  const charging = createChargingTurns({ db, leaseOwner: 1, connectorOf: async () => connector })
  const pushing = createJobEngine({
    db,
    leaseOwner: 1,
    jobs,
    deps: { db, vault: testVault, connectorOf: async () => connector, sendMail: noMail }
  })
  const following: Engine[] = [...createFactEngines({ db, consumers }), createMetricsRollupEngine({ db })]
  const analyzing = analyzeAsServed(db)
  let settled = 0
  try {
    const costs = {
      enqueue: await costOf(serverMs, () => repeat(() => inStore((ctx) => openDueAttempts(ctx, OPENED_AT_ONCE)))),
      send: await costOf(serverMs, () => repeat(async () => (await charging.turn(storeId)).done)),
      settle: await costOf(serverMs, () =>
        repeat(async () => {
          const some = results.splice(0, SENT_AT_ONCE)
          const ended = await inStore((ctx) => settleAttempts(ctx, some))
          settled += ended
          return ended
        })
      ),
      push: await costOf(serverMs, () => repeat(() => pushing.runOnce(storeId))),
      facts: await costOf(serverMs, async () => {
        for (const engine of following) await repeat(() => engine.runOnce(storeId))
        await repeat(() => rollUpTotals(db))
      })
    }
    return { costs, settled }
  } finally {
    await analyzing.stop()
  }
}

/** A platform that accepts every charge without a result. `results` are what it would report later. */
function pendingConnector(now: Temporal.Instant): { connector: Connector; results: AttemptResult[] } {
  const results: AttemptResult[] = []
  const paying = stubConnector({ now, priceMinor: 2900 })
  const connector = withCalls(paying, {
    billing: {
      async createAttempts(requests) {
        const paid = await paying.billing.createAttempts(requests)
        return paid.map((one) => {
          if (!one.ok) return one
          results.push(resultOf(one.value)!)
          return { ok: true, value: { ...one.value, state: 'pending', order: null, completedAt: null } }
        })
      }
    }
  })
  return { connector, results }
}

async function repeat(work: () => Promise<number>): Promise<void> {
  while ((await work()) > 0);
}

async function costOf(serverMs: () => number, work: () => Promise<void>): Promise<Cost> {
  const before = { service: process.cpuUsage(), database: serverMs() }
  await work()
  const { user, system } = process.cpuUsage(before.service)
  return { service: (user + system) / 1000, database: serverMs() - before.database }
}
