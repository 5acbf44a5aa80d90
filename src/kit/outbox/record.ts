import { type Ctx, sql } from '../postgres/index.ts'
import type { Fact } from './define-fact.ts'
import { currentRequestId } from './request-id.ts'

/**
 * Writes facts in the transaction of the change that they describe, in the order given. Nobody waits for it before the
 * transaction's end.
 */
export async function record(ctx: Ctx, ...facts: Fact[]): Promise<void> {
  if (facts.length === 0) return
  const requestId = currentRequestId()
  ctx.tx.send(sql`
    insert into facts (store_id, name, ordering_key, data, refs, occurred_at, request_id)
    select ${ctx.storeId}, f.name, f.ordering_key, f.data::json, f.refs::jsonb, ${ctx.now}, f.request_id
      from unnest(${facts.map((f) => f.name)}::text[], ${facts.map((f) => f.orderingKey)}::text[],
                  ${facts.map((f) => JSON.stringify(f.data))}::text[],
                  ${facts.map((f) => JSON.stringify(f.refs ?? {}))}::text[],
                  ${facts.map((f) => f.requestId ?? requestId)}::text[])
           with ordinality as f(name, ordering_key, data, refs, request_id, nth)
     order by f.nth
    returning id`)
}
