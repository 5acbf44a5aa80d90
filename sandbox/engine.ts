import type { GraphQLSchema } from 'graphql'
import type { Agent } from 'undici'
import type { Engine } from '#kit/engine'
import { type Database, instant, nullable, row, sql } from '#kit/postgres'
import { answerDueAttempts, correctDueAttempts, expireDueChallenges } from './billing/answer-attempts.ts'
import { runBulkOperation } from './bulk/run-bulk-operation.ts'
import { sendWebhooks } from './outgoing/send-webhooks.ts'
import type { Shops } from './shop.ts'

/** What the platform does by itself: answers billing attempts, ends those that nobody confirmed, runs bulk operations, sends its webhooks. */
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
        (select answer_at from sandbox.billing_attempts
          where store_id = ${storeId} and status = 'pending' order by answer_at limit 1),
        (select answer_at from sandbox.billing_attempts
          where store_id = ${storeId} and status = 'challenged' order by answer_at limit 1),
        (select truth_at from sandbox.billing_attempts
          where store_id = ${storeId} and truth_at is not null order by truth_at limit 1),
        (select next_try_at from sandbox.webhook_messages
          where store_id = ${storeId} and status = 'waiting' order by next_try_at limit 1),
        (select step_at from sandbox.bulk_operations
          where store_id = ${storeId} and step_at is not null order by step_at limit 1)) as at`
    )
    return at
  }
  return {
    name: 'sandbox',
    nextDueAt,

    async runOnce(storeId) {
      const shop = await shops.find(storeId)
      const due = shop && (await nextDueAt(storeId))
      if (!due) return 0
      const now = await clock(shop.domain)
      if (Temporal.Instant.compare(due, now) > 0) return 0
      const answered = await db.inInstallation((q) => answerDueAttempts(q, shop, now))
      const expired = await db.inInstallation((q) => expireDueChallenges(q, shop, now))
      const corrected = await db.inInstallation((q) => correctDueAttempts(q, shop, now))
      const exported = await runBulkOperation(db, schema, shop, now)
      const sent = await sendWebhooks(db, agent, shop, now)
      return answered + expired + corrected + exported + sent
    }
  }
}
