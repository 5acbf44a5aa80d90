import type { Ctx } from './postgres/database.ts'
import { sql } from './postgres/sql.ts'

/**
 * A fact. `data` is the payload that receivers get: a snapshot, never looked up again. `refs` are internal ids for our
 * own consumers. Facts with one `objectKey` are told in order.
 */
export type DomainEvent = {
  type: string
  objectKey: `subscription:${number}` | `member:${number}`
  data: Record<string, unknown>
  refs?: Record<string, number>
}

/** Writes facts in the transaction of the change that they tell, in the order given. */
export async function record(ctx: Ctx, ...events: DomainEvent[]): Promise<void> {
  if (events.length === 0) return
  await ctx.tx.run(sql`
    insert into events (store_id, type, object_key, data, refs, occurred_at)
    select ${ctx.storeId}, e.type, e.object_key, e.data::json, e.refs::jsonb, ${ctx.now}
      from unnest(${events.map((e) => e.type)}::text[], ${events.map((e) => e.objectKey)}::text[],
                  ${events.map((e) => JSON.stringify(e.data))}::text[],
                  ${events.map((e) => JSON.stringify(e.refs ?? {}))}::text[])
           with ordinality as e(type, object_key, data, refs, position)
     order by e.position`)
}
