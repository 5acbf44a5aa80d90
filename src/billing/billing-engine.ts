import { earliest } from '#kit/clock'
import type { Engine } from '#kit/engine'
import { type Database, directSql, instant, nullable, row } from '#kit/postgres'
import { endGraces, resumeEndedPauses } from '#lifecycle'
import type { Connector } from '#platform'
import { storeNow } from '#stores'
import { nextSubscriptionWork } from '#subscriptions'
import { endHeldCharges } from './end-held-charges.ts'
import { openDueAttempts } from './open-attempts.ts'
import { remindCustomers } from './remind-customers.ts'
import { submitAttempts } from './submit-attempts.ts'

const BATCH = 200
/** Claimed attempts count as sent, so few are claimed at once: a cancellation meanwhile still stops the others. */
const SENT_TOGETHER = 32

const nextOfAttempts = directSql<[storeId: number]>(
  'billing_next_of_attempts',
  `select (select min(check_at) from billing_attempts where store_id = $1 and status = 'pending') as check,
          (select min(remind_at) from billing_attempts where store_id = $1 and remind_at is not null) as remind`
)

/** The run of due charges: pauses that end, cycles that fall due, attempts to send or to ask after, customers to remind. */
export function createBillingEngine(options: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
}): Engine {
  const { db, leaseOwner, connectorOf } = options

  const ahead = async (storeId: number) => {
    const [work, ofAttempts] = await Promise.all([
      nextSubscriptionWork(db.direct, storeId),
      db.direct.one(row({ check: nullable(instant), remind: nullable(instant) }), nextOfAttempts(storeId))
    ])
    return { ...work, ...ofAttempts }
  }

  return {
    name: 'billing',
    needsPlatform: 'known',
    async nextDueAt(storeId) {
      const { due, resume, grace, givesUp, check, remind } = await ahead(storeId)
      return earliest(due, resume, grace, givesUp, check, remind)
    },
    async runOnce(storeId) {
      const [now, next] = await Promise.all([storeNow(db, storeId), ahead(storeId)])
      const isDue = (at: Temporal.Instant | null) => at !== null && Temporal.Instant.compare(at, now) <= 0
      const submit = async () => submitAttempts(db, storeId, await connectorOf(storeId), leaseOwner, SENT_TOGETHER)
      const sent = isDue(next.check) ? await submit() : 0
      // Cycles are opened as fast as they can be sent: one that waits unopened can still be moved and skipped.
      if (sent === SENT_TOGETHER) return sent
      let opened = 0
      if (isDue(next.grace)) opened += await db.inStore(storeId, (ctx) => endGraces(ctx, BATCH))
      if (isDue(next.givesUp)) opened += await db.inStore(storeId, (ctx) => endHeldCharges(ctx, BATCH))
      if (isDue(next.remind)) opened += await db.inStore(storeId, (ctx) => remindCustomers(ctx, BATCH))
      if (isDue(next.resume)) opened += await db.inStore(storeId, (ctx) => resumeEndedPauses(ctx, BATCH))
      if (isDue(next.due)) opened += await db.inStore(storeId, (ctx) => openDueAttempts(ctx, BATCH))
      // What was just opened is to be sent at once.
      return sent + opened + (opened > 0 ? await submit() : 0)
    }
  }
}
