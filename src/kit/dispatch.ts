import { dueQuery, type Engine } from './engines/index.ts'
import { bool, type Ctx, type Database, directSql, instant, int, json, row, sql, text } from './postgres/index.ts'

/** A fact as it was recorded. `data` is the payload's JSON text. */
export type StoredEvent = {
  id: number
  type: string
  objectKey: string
  data: string
  refs: Record<string, number>
  occurredAt: Temporal.Instant
}

/**
 * Hears of one store's events, oldest first, in the transaction that marks them as told: what it writes through `ctx`
 * happens exactly once per event. It must do nothing outside the database.
 */
export type Consumer = (ctx: Ctx, events: StoredEvent[]) => Promise<void>

const StoredEventRow = row({
  id: int,
  type: text,
  objectKey: text,
  data: text,
  refs: json<Record<string, number>>(),
  occurredAt: instant
})

const BATCH = 200

const oldestUndispatched = directSql<[storeId: number]>(
  'dispatch_next_due',
  `select occurred_at from events where store_id = $1 and not dispatched order by id limit 1`
)

const storesWithEvents = dueQuery(
  'dispatch_due',
  `select e.store_id, min(e.occurred_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join events e on e.store_id = s.store_id and not e.dispatched and e.occurred_at <= s.until
    group by e.store_id`
)

/** Tells recorded events to every consumer, in the order of recording, one batch per transaction. */
export function createDispatchEngine({ db, consumers }: { db: Database; consumers: Consumer[] }): Engine {
  return {
    name: 'dispatch',
    due: storesWithEvents,
    async nextDueAt(storeId) {
      const oldest = await db.direct.maybeOne(row({ occurredAt: instant }), oldestUndispatched(storeId))
      return oldest?.occurredAt ?? null
    },
    runOnce: (storeId) =>
      db.inStore(storeId, async (ctx) => {
        const events = await lockNextEvents(ctx)
        if (events.length === 0) return 0
        for (const consume of consumers) await consume(ctx, events)
        await markDispatched(ctx, events)
        return events.length
      })
  }
}

/**
 * One dispatcher at a time per store, or a later batch could be told before an earlier one. Who finds another at it has
 * nothing to do: that one goes on until nothing is left, and what is recorded at its very end is due at the next sweep.
 */
async function lockNextEvents(ctx: Ctx): Promise<StoredEvent[]> {
  const { isMine } = await ctx.tx.one(
    row({ isMine: bool }),
    sql`select pg_try_advisory_xact_lock(hashtextextended('dispatch', ${ctx.storeId})) as is_mine`
  )
  if (!isMine) return []
  return ctx.tx.many(
    StoredEventRow,
    sql`
    select id, type, object_key, data, refs, occurred_at from events
     where store_id = ${ctx.storeId} and not dispatched
     order by id limit ${BATCH}`
  )
}

async function markDispatched(ctx: Ctx, events: StoredEvent[]) {
  await ctx.tx.run(sql`
    update events set dispatched = true
     where store_id = ${ctx.storeId} and id = any(${events.map((e) => e.id)}::bigint[])`)
}
