import { earliest } from '../clock.ts'
import { engineFailures } from '../engine-metrics.ts'
import { dueQuery, type Engine } from '../engines/index.ts'
import type { Measure } from '../metrics.ts'
import { bool, type Database, directSql, instant, nullable, row, textList } from '../postgres/index.ts'
import { consumeFacts, type FactFailure } from './consume-facts.ts'
import type { Consumer } from './consumer.ts'
import { sequenceFacts, startConsumers } from './sequence-facts.ts'

const ENGINE = 'dispatch'
const EPOCH = Temporal.Instant.fromEpochMilliseconds(0)

/** Brings recorded facts to every consumer. Consumers run side by side and wait neither for nor with each other. */
export function createFactEngine({
  db,
  consumers,
  measure = () => {},
  onFailure = () => {}
}: {
  db: Database
  consumers: readonly Consumer[]
  measure?: Measure
  /** Called for each failed try of a fact, with a sentence about it. */
  onFailure?: (failure: FactFailure, message: string) => void
}): Engine {
  const names = consumers.map((c) => c.name)
  if (new Set(names).size < names.length) throw new Error('Two consumers have the same name')

  const report = (failure: FactFailure) => {
    measure(engineFailures, 1, { engine: ENGINE })
    const outcome = failure.isDead ? 'and is not tried again' : 'and is tried again later'
    onFailure(failure, `Consumer ${failure.consumer} failed on ${failure.fact.name} ${outcome}`)
  }

  const look = (storeId: number) => db.direct.one(Outstanding, outstandingFacts(storeId, names))

  const sequence = async (storeId: number, areNew: boolean) => {
    if (areNew) await db.inStore(storeId, (ctx) => startConsumers(ctx, consumers))
    return sequenceFacts(db, storeId)
  }

  return {
    name: ENGINE,
    due: (stores) => dueFacts(stores, names),
    async nextDueAt(storeId) {
      const { unsequencedSince, behind, behindSince, retryAt } = await look(storeId)
      // A consumer that was started while old facts were removed may be behind with none of them left: it only moves on.
      return earliest(unsequencedSince, behind.length > 0 ? (behindSince ?? EPOCH) : null, retryAt)
    },
    async runOnce(storeId) {
      const { unsequencedSince, areNew, behind, retrying } = await look(storeId)
      const sequenced = unsequencedSince || areNew ? await sequence(storeId, areNew) : 0
      const able = consumers.filter(
        ({ name }) => sequenced > 0 || areNew || behind.includes(name) || retrying.includes(name)
      )
      const ends = await Promise.allSettled(
        able.map((consumer) =>
          consumeFacts({ db, storeId, consumer, hasRetries: retrying.includes(consumer.name), onFailure: report })
        )
      )
      return ends.reduce((sum, end) => {
        if (end.status === 'rejected') throw end.reason
        return sum + end.value
      }, sequenced)
    }
  }
}

const dueFacts = dueQuery<[consumers: string[]]>(
  'dispatch_due',
  `select f.store_id, min(f.occurred_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join facts f on f.store_id = s.store_id and f.position is null and f.occurred_at <= s.until
    group by f.store_id
   union all
   select c.store_id, to_timestamp(0)
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join fact_consumers c on c.store_id = s.store_id and c.position < c.last_position and c.consumer = any($3::text[])
    group by c.store_id
   union all
   select r.store_id, min(r.retry_at)
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join fact_retries r on r.store_id = s.store_id and r.retry_at <= s.until and r.consumer = any($3::text[])
    group by r.store_id`
)

const Outstanding = row({
  /** When the first fact without a position occurred. */
  unsequencedSince: nullable(instant),
  /** Whether a consumer has no position in this store yet. */
  areNew: bool,
  /** Consumers that have facts ahead, and when the first of these occurred that is kept. */
  behind: textList,
  behindSince: nullable(instant),
  /** Consumers that will try a fact again, and when the first retry is due. */
  retrying: textList,
  retryAt: nullable(instant)
})

const outstandingFacts = directSql<[storeId: number, consumers: string[]]>(
  'facts_outstanding',
  `with positions as (
     select consumer, position, last_position from fact_consumers where store_id = $1 and consumer = any($2::text[])),
   behind as (
     select consumer, position from positions where position < last_position),
   retries as (
     select consumer, retry_at from fact_retries
      where store_id = $1 and consumer = any($2::text[]) and retry_at is not null)
   select (select occurred_at from facts where store_id = $1 and position is null order by id limit 1) as unsequenced_since,
          (select count(*) from positions) < cardinality($2::text[]) as are_new,
          array(select consumer from behind) as behind,
          (select occurred_at from facts where store_id = $1 and position > (select min(position) from behind)
            order by position limit 1) as behind_since,
          array(select distinct consumer from retries) as retrying,
          (select min(retry_at) from retries) as retry_at`
)
