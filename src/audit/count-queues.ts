import { type Database, int, row, sql, text } from '#kit/postgres'

const Queue = row({ queue: text, depth: int })

/** The number of items in each queue of the installation, including those that are not due yet. */
export async function countQueues(db: Database): Promise<Record<string, number>> {
  const queues = await db.inInstallation((tx) =>
    tx.many(
      Queue,
      sql`
      select 'events' as queue, (select count(*) from facts where position is null)
             + (select coalesce(sum(last_position - position), 0)::bigint from fact_consumers) as depth
      union all select 'fact_retries', count(*) from fact_retries where dead_at is null
      union all select 'dead_facts', count(*) from fact_retries where dead_at is not null
      union all select 'jobs', count(*) from jobs
      union all select 'inbound_webhooks', count(*) from inbound_webhooks where status = 'waiting'
      union all select 'webhook_deliveries', count(*) from webhook_queue
      union all select 'failing_reconciliations', count(*) from reconciliations where failures > 0
      union all select 'billing_attempts', count(*) from billing_attempts where status = 'pending'`
    )
  )
  return Object.fromEntries(queues.map(({ queue, depth }) => [queue, depth]))
}
