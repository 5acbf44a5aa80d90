import { type Ctx, type Database, directSql, int, nullable, row, sql } from '../postgres/index.ts'
import type { Consumer } from './consumer.ts'
import { lockKnownConsumers } from './known-consumers.ts'

const BATCH = 1_000

const sequence = directSql<[storeId: number, max: number]>('facts_sequence', 'select sequence_facts($1, $2) as count')

/**
 * Gives positions to facts of the store that have none, in an order in which consumers can read them, and returns how many
 * there were; 0 when another process is at it. The rules: migrations/functions/sequence-facts.sql.
 */
export async function sequenceFacts(db: Database, storeId: number): Promise<number> {
  return (await db.direct.one(row({ count: int }), sequence(storeId, BATCH))).count
}

/**
 * Gives consumers that are new to the store their first position. To be called before facts are sequenced, so that a
 * consumer that begins `now` receives what was recorded since. A store without any gets those of newer code as well: they
 * would otherwise miss the facts that older code gives positions to.
 */
export async function startConsumers(ctx: Ctx, consumers: readonly Consumer[]): Promise<void> {
  const { storeId, tx } = ctx
  const known = await lockKnownConsumers(ctx)
  // No sequencer is at work in the store until the transaction ends.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('sequence of facts', ${storeId}))`)
  // Old facts are removed: the last position is then known from the other consumers alone.
  const { count, last, first } = await tx.one(
    row({ count: int, last: int, first: nullable(int) }),
    sql`
    select (select count(*) from fact_consumers where store_id = ${storeId}) as count,
           greatest((select max(last_position) from fact_consumers where store_id = ${storeId}),
                    (select max(position) from facts where store_id = ${storeId} and position is not null), 0) as last,
           (select min(position) from facts where store_id = ${storeId} and position is not null) as first`
  )
  const beginning = first === null ? last : first - 1
  const firsts = new Map(count === 0 ? known.map((name) => [name, last]) : [])
  for (const { name, from } of consumers) firsts.set(name, from === 'beginning' ? beginning : last)
  await tx.run(sql`
    insert into fact_consumers (store_id, consumer, position, furthest, last_position)
    select ${storeId}, c.name, c.position, c.position, ${last}::bigint
      from unnest(${[...firsts.keys()]}::text[], ${[...firsts.values()]}::bigint[]) as c(name, position)
    on conflict (store_id, consumer) do nothing`)
}

/**
 * Starts consumers in every store that has others. To be called when the service starts: a consumer that begins with the
 * first fact then does not wait for the next one.
 */
export async function startConsumersInStores(db: Database, consumers: readonly Consumer[]): Promise<void> {
  const names = consumers.map(({ name }) => name)
  const stores = await db.inInstallation((tx) =>
    tx.many(
      row({ storeId: int }),
      sql`
      select store_id from fact_consumers
       group by store_id having count(*) filter (where consumer = any(${names}::text[])) < ${names.length}`
    )
  )
  for (const { storeId } of stores) await db.inStore(storeId, (ctx) => startConsumers(ctx, consumers))
}
