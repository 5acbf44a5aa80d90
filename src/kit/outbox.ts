import type { Ctx } from './postgres/database.ts'
import { sql } from './postgres/sql.ts'

/** The sixteen event types of the contract (spec 1, Events), and `billing.action_required`, which is ours. */
export const EVENT_TYPES = [
  'subscription.created',
  'subscription.activated',
  'subscription.updated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'billing.pending',
  'billing.success',
  'billing.failed',
  'billing.retry_scheduled',
  'billing.action_required',
  'member.created',
  'member.updated',
  'member.tier_changed',
  'member.points_changed',
  'store_credit.added',
  'store_credit.deducted'
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/**
 * A fact. `data` is the payload that receivers get: a snapshot, never looked up again. `refs` are internal ids for our
 * own consumers. Facts with one `objectKey` are told in order.
 */
export type DomainEvent = {
  type: EventType
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
