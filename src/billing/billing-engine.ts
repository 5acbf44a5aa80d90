import { dueQuery, type Engine, nextDueBy, type Patience } from '#kit/engines'
import { type Ctx, type Database, directSql, instant, nullable, row } from '#kit/postgres'
import type { Connector } from '#platform'
import { storeNow } from '#stores'
import { endGraces, resumeEndedPauses } from '#subscriptions/for-billing'
import { createChargingTurns } from './charging/charging-turns.ts'
import { mayCharge, releaseAttempts } from './charging/claims.ts'
import { openDueAttempts } from './charging/open-attempts.ts'
import { remindCustomers } from './dunning/remind-customers.ts'
import { endChargesPastDeadline } from './settling/end-charges-past-deadline.ts'

const BATCH = 200
const NONE = { done: 0, isFull: false }

const Ahead = row({
  due: nullable(instant),
  resume: nullable(instant),
  grace: nullable(instant),
  paymentDeadline: nullable(instant),
  check: nullable(instant),
  remind: nullable(instant)
})

const aheadOf = directSql<[storeId: number]>(
  'billing_ahead',
  `select (select min(billing_due_at) from subscriptions where store_id = $1) as due,
          (select min(resumes_at) from subscriptions where store_id = $1) as resume,
          (select min(grace_ends_at) from subscriptions where store_id = $1) as grace,
          (select min(payment_method_deadline) from subscriptions where store_id = $1) as payment_deadline,
          (select min(check_at) from billing_attempts where store_id = $1 and status = 'pending') as check,
          (select min(remind_at) from billing_attempts where store_id = $1 and remind_at is not null) as remind`
)

const nextWork = directSql<[storeId: number]>(
  'billing_next',
  `select least((select min(billing_due_at) from subscriptions where store_id = $1),
                (select min(resumes_at) from subscriptions where store_id = $1),
                (select min(grace_ends_at) from subscriptions where store_id = $1),
                (select min(payment_method_deadline) from subscriptions where store_id = $1),
                (select min(check_at) from billing_attempts where store_id = $1 and status = 'pending'),
                (select min(remind_at) from billing_attempts where store_id = $1 and remind_at is not null))`
)

const dueWork = dueQuery(
  'billing_due',
  `with s as (select store_id, until from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until))
   select x.store_id, min(x.billing_due_at) as due_at
     from s join subscriptions x on x.store_id = s.store_id and x.billing_due_at <= s.until group by x.store_id
    union all
   select x.store_id, min(x.resumes_at)
     from s join subscriptions x on x.store_id = s.store_id and x.resumes_at <= s.until group by x.store_id
    union all
   select x.store_id, min(x.grace_ends_at)
     from s join subscriptions x on x.store_id = s.store_id and x.grace_ends_at <= s.until group by x.store_id
    union all
   select x.store_id, min(x.payment_method_deadline)
     from s join subscriptions x on x.store_id = s.store_id and x.payment_method_deadline <= s.until group by x.store_id
    union all
   select a.store_id, min(a.check_at)
     from s join billing_attempts a on a.store_id = s.store_id and a.status = 'pending' and a.check_at <= s.until
    where a.leased_until is null or a.leased_until < statement_timestamp() group by a.store_id
    union all
   select a.store_id, min(a.remind_at)
     from s join billing_attempts a on a.store_id = s.store_id and a.remind_at <= s.until group by a.store_id`
)

/** Runs what is due: pauses and grace periods that end, cycles to open, attempts to send or to check, customers to remind. */
export function createBillingEngine(options: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** No call of these connectors takes longer; `MAX_CALL_MS` when left out. */
  maxCallMs?: number
  patience?: Patience
}): Engine {
  const { db } = options
  const charging = createChargingTurns(options)

  /** A batch, unless a hold has begun since this work did. */
  const batchOf = (storeId: number, work: (ctx: Ctx, limit: number) => Promise<number>) =>
    db.inStore(storeId, async (ctx) => (mayCharge(ctx) ? work(ctx, BATCH) : 0))

  return {
    name: 'billing',
    stage: 'request',
    releaseLeases: releaseAttempts,
    needsPlatform: 'known',
    restsAfterRestore: true,
    due: dueWork,
    endUnderWay: charging.endUnderWay,
    letGo: charging.letGo,
    keptLong: charging.keptLong,
    ...nextDueBy(db, nextWork),
    async runOnce(storeId) {
      const [now, next] = await Promise.all([storeNow(db, storeId), db.direct.one(Ahead, aheadOf(storeId))])
      const isDue = (at: Temporal.Instant | null) => at !== null && Temporal.Instant.compare(at, now) <= 0
      const isCharging = isDue(next.check) || charging.underWay(storeId) > 0
      const sent = isCharging ? await charging.turn(storeId) : NONE
      let done = 0
      // However many charges wait to be sent.
      if (isDue(next.grace)) done += await batchOf(storeId, endGraces)
      if (isDue(next.paymentDeadline)) done += await batchOf(storeId, endChargesPastDeadline)
      if (isDue(next.remind)) done += await batchOf(storeId, remindCustomers)
      if (isDue(next.resume)) done += await batchOf(storeId, resumeEndedPauses)
      // Cycles are opened as fast as they can be sent: a cycle that is not opened can still be skipped or rescheduled.
      if (sent.isFull) return sent.done + done
      if (isDue(next.due)) done += await batchOf(storeId, openDueAttempts)
      // Attempts that were just opened are sent at once.
      return sent.done + done + (done > 0 ? (await charging.turn(storeId)).done : 0)
    }
  }
}
