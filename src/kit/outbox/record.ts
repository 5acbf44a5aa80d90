import { type Ctx, sql } from '../postgres/index.ts'
import type { Fact } from './define-fact.ts'

/**
 * Writes facts in the transaction of the change that they describe, in the order given. Nobody waits for it before the
 * transaction's end.
 */
export async function record(ctx: Ctx, ...facts: Fact[]): Promise<void> {
  if (facts.length === 0) return
  ctx.tx.send(sql`
    insert into facts (store_id, name, ordering_key, data, refs, occurred_at)
    select ${ctx.storeId}, f.name, f.ordering_key, f.data::json, f.refs::jsonb, ${ctx.now}
      from unnest(${facts.map((f) => f.name)}::text[], ${facts.map((f) => f.orderingKey)}::text[],
                  ${facts.map((f) => JSON.stringify(f.data))}::text[],
                  ${facts.map((f) => JSON.stringify(f.refs ?? {}))}::text[])
           with ordinality as f(name, ordering_key, data, refs, nth)
     order by f.nth
    returning id`)
}
