import { earliest } from '#kit/clock'
import type { Engine } from '#kit/engine'
import { type Database, instant, nullable, row, sql } from '#kit/postgres'
import type { Connector } from '#platform'
import { nextSubscriptionWork, resumeEndedPauses } from '#subscriptions'
import { openDueAttempts } from './open-attempts.ts'
import { submitAttempts } from './submit-attempts.ts'

const BATCH = 200

/** The run of due charges: pauses that end, cycles that fall due, attempts to send or to ask after. */
export function createBillingEngine(options: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
}): Engine {
  const { db, leaseOwner, connectorOf } = options
  return {
    name: 'billing',
    async nextDueAt(storeId) {
      return db.inStore(storeId, async (ctx) => {
        const { due, resume } = await nextSubscriptionWork(ctx)
        const { check } = await ctx.tx.one(
          row({ check: nullable(instant) }),
          sql`select min(check_at) as check from billing_attempts where store_id = ${ctx.storeId} and status = 'pending'`
        )
        return earliest(due, resume, check)
      })
    },
    async runOnce(storeId) {
      const resumed = await db.inStore(storeId, (ctx) => resumeEndedPauses(ctx, BATCH))
      const opened = await db.inStore(storeId, (ctx) => openDueAttempts(ctx, BATCH))
      const sent = await submitAttempts(db, storeId, await connectorOf(storeId), leaseOwner, BATCH)
      return resumed + opened + sent
    }
  }
}
