import type { GraphQLSchema } from 'graphql'
import type { Agent } from 'undici'
import { dueQuery, type Engine } from '#kit/engines'
import { type Database, instant, nullable, row, sql } from '#kit/postgres'
import { correctDueAttempts, expireDueChallenges, resolveDueAttempts } from './billing/resolve-attempts.ts'
import { runBulkOperation } from './bulk/run-bulk-operation.ts'
import { runJob } from './jobs/run-job.ts'
import { sendWebhooks } from './outgoing/send-webhooks.ts'
import type { Shops } from './shop.ts'

const dueOnPlatform = dueQuery(
  'sandbox_due',
  `with s as (select store_id, until from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until))
   select a.store_id, min(a.resolve_at) as due_at
     from s join sandbox.billing_attempts a on a.store_id = s.store_id and a.status = 'pending' and a.resolve_at <= s.until
    group by a.store_id
    union all
   select a.store_id, min(a.resolve_at)
     from s join sandbox.billing_attempts a on a.store_id = s.store_id and a.status = 'challenged' and a.resolve_at <= s.until
    group by a.store_id
    union all
   select a.store_id, min(a.corrected_at)
     from s join sandbox.billing_attempts a on a.store_id = s.store_id and a.corrected_at <= s.until group by a.store_id
    union all
   select m.store_id, min(m.next_try_at)
     from s join sandbox.webhook_messages m on m.store_id = s.store_id and m.status = 'waiting' and m.next_try_at <= s.until
    group by m.store_id
    union all
   select b.store_id, min(b.step_at)
     from s join sandbox.bulk_operations b on b.store_id = s.store_id and b.step_at <= s.until group by b.store_id
    union all
   select j.store_id, min(j.due_at)
     from s join sandbox.due_jobs j on j.store_id = s.store_id and j.due_at <= s.until group by j.store_id`
)

/** The platform's background work: resolves billing attempts, expires unconfirmed ones, runs bulk operations and jobs, sends webhooks. */
export function sandboxEngine(
  db: Database,
  shops: Shops,
  agent: Agent,
  schema: GraphQLSchema,
  clock: (shopDomain: string) => Promise<Temporal.Instant>
): Engine {
  const nextDueAt = async (storeId: number): Promise<Temporal.Instant | null> => {
    const { at } = await db.direct.one(
      row({ at: nullable(instant) }),
      sql`
      select least(
        (select resolve_at from sandbox.billing_attempts
          where store_id = ${storeId} and status = 'pending' order by resolve_at limit 1),
        (select resolve_at from sandbox.billing_attempts
          where store_id = ${storeId} and status = 'challenged' order by resolve_at limit 1),
        (select corrected_at from sandbox.billing_attempts
          where store_id = ${storeId} and corrected_at is not null order by corrected_at limit 1),
        (select next_try_at from sandbox.webhook_messages
          where store_id = ${storeId} and status = 'waiting' order by next_try_at limit 1),
        (select step_at from sandbox.bulk_operations
          where store_id = ${storeId} and step_at is not null order by step_at limit 1),
        (select due_at from sandbox.due_jobs
          where store_id = ${storeId} and due_at is not null order by due_at limit 1)) as at`
    )
    return at
  }
  return {
    name: 'sandbox',
    stage: 'platform',
    due: dueOnPlatform,
    nextDueAt,

    async runOnce(storeId) {
      const shop = await shops.find(storeId)
      const due = shop && (await nextDueAt(storeId))
      if (!due) return 0
      const now = await clock(shop.domain)
      if (Temporal.Instant.compare(due, now) > 0) return 0
      const resolved = await db.inInstallation((q) => resolveDueAttempts(q, shop, now))
      const expired = await db.inInstallation((q) => expireDueChallenges(q, shop, now))
      const corrected = await db.inInstallation((q) => correctDueAttempts(q, shop, now))
      const exported = await runBulkOperation(db, schema, shop, now)
      const done = await runJob(db, shop, now)
      const sent = await sendWebhooks(db, agent, shop, now)
      return resolved + expired + corrected + exported + done + sent
    }
  }
}
