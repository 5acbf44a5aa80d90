import { type Ctx, int, row, sql } from '#kit/postgres'

/** A fact of the store for which the consumer of webhooks has exhausted its tries. Returns the name of its dead letter. */
export async function aDeadLetter({ tx, storeId, now }: Ctx): Promise<string> {
  const { id } = await tx.one(
    row({ id: int }),
    sql`
    insert into facts (store_id, name, ordering_key, data, occurred_at)
    values (${storeId}, 'member.updated', 'member:1', '{}', ${now}) returning id`
  )
  await tx.run(sql`
    insert into fact_retries (store_id, consumer, fact_id, name, position, ordering_key, attempts, last_error, dead_at)
    values (${storeId}, 'webhooks', ${id}, 'member.updated', ${id}, 'member:1', 6, 'It failed', ${now})`)
  return `webhooks:${id}`
}
