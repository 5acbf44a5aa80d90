import { bool, type Ctx, instant, int, nullable, oneOf, row, sql, text, textList } from '#kit/postgres'
import { eventOfFact, PUBLIC_FACTS } from '../public-events.ts'

/** An event may wait so long to be queued: it occurred before the endpoint was disabled, and is missed all the same. */
const QUEUED_WITHIN_HOURS = 1
const PAGE = 1000

const Receiver = row({
  id: int,
  kind: oneOf('url', 'listener'),
  status: oneOf('enabled', 'disabled'),
  events: nullable(textList),
  webhookIdSeed: text,
  createdAt: instant,
  disabledAt: nullable(instant),
  failingSince: nullable(instant)
})
export type Receiver = ReturnType<typeof Receiver>

/**
 * An endpoint that may have missed events, held until the commit: whoever else queues for it, the fan-out too, waits and then finds
 * what was queued here. Null when it is deleted or was never there.
 */
export function lockReceiver(ctx: Ctx, id: number): Promise<Receiver | null> {
  return ctx.tx.maybeOne(
    Receiver,
    sql`
    select id, kind, status, events, webhook_id_seed, created_at, disabled_at, failing_since from webhook_endpoints
     where store_id = ${ctx.storeId} and id = ${id} and deleted_at is null for update`
  )
}

/** The same as `lockReceiver`, for who only counts: nobody waits for it. */
export function findReceiver(ctx: Ctx, id: number): Promise<Receiver | null> {
  return ctx.tx.maybeOne(
    Receiver,
    sql`
    select id, kind, status, events, webhook_id_seed, created_at, disabled_at, failing_since from webhook_endpoints
     where store_id = ${ctx.storeId} and id = ${id} and deleted_at is null`
  )
}

/** What is looked at for missed events: the facts after one position, up to another one. */
export type MissedSpan = { since: Temporal.Instant; after: number; end: number; first: number }

/**
 * The facts from a time on (store time) that every endpoint was given: those that wait for the fan-out, or were put aside by it,
 * are not missed. Nothing from before the endpoint was created; `first` is the position of its first delivery, since under a
 * test clock there are facts from before at the same instant.
 */
export async function spanOfMissed(ctx: Ctx, receiver: Receiver, from: Temporal.Instant): Promise<MissedSpan> {
  const early = from.subtract({ hours: QUEUED_WITHIN_HOURS })
  const since = Temporal.Instant.compare(early, receiver.createdAt) > 0 ? early : receiver.createdAt
  const span = await ctx.tx.one(
    row({ after: int, end: int, first: int }),
    sql`
    select coalesce((select position from facts
                      where store_id = ${ctx.storeId} and position is not null and occurred_at < ${since}
                      order by position desc limit 1), 0) as after,
           coalesce((select position from fact_consumers
                      where store_id = ${ctx.storeId} and consumer = 'webhooks'), 0) as end,
           coalesce((select sequence from webhook_deliveries
                      where store_id = ${ctx.storeId} and endpoint_id = ${receiver.id} and fact_id is not null
                      order by day, id limit 1), 0) as first`
  )
  return { since, ...span }
}

/** The next facts of the span that this endpoint accepts, in order, and which of them were never queued for it. */
export function lookForMissed(ctx: Ctx, { id, events, createdAt }: Receiver, { since, after, end, first }: MissedSpan) {
  const names = PUBLIC_FACTS.filter((name) => events === null || events.includes(eventOfFact(name)!))
  return ctx.tx.many(
    row({ id: int, position: int, occurredAt: instant, isMissed: bool }),
    sql`
    select f.id, f.position, f.occurred_at, q.is_queued is null and r.is_aside is null as is_missed
      from (select id, position, occurred_at from facts
             where store_id = ${ctx.storeId} and position > ${after} and position <= ${end}
               and name = any(${names}::text[]) and occurred_at >= ${since}
               and (occurred_at > ${createdAt} or position >= ${first})
             order by position limit ${PAGE}) f
      left join lateral (
           select true as is_queued from webhook_deliveries
            where store_id = ${ctx.storeId} and fact_id = f.id and endpoint_id = ${id} limit 1) q on true
      left join lateral (
           select true as is_aside from fact_retries
            where store_id = ${ctx.storeId} and fact_id = f.id and consumer = 'webhooks' limit 1) r on true
     order by f.position`
  )
}
