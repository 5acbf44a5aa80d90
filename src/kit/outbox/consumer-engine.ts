import { engineFailures } from '../engine-metrics.ts'
import { dueQuery, type Engine, nextDueBy } from '../engines/index.ts'
import type { Measure } from '../metrics.ts'
import { bool, type Database, directSql, instant, nullable, row } from '../postgres/index.ts'
import { consumeFacts, type FactFailure } from './consume-facts.ts'
import type { Consumer } from './consumer.ts'
import { namesOf } from './fact-retries.ts'
import { createPaces } from './pace.ts'

export type ConsumerEngineOptions = {
  db: Database
  consumer: Consumer
  measure?: Measure
  /** Called for each failed try of a fact, with a sentence about it. */
  onFailure?: (failure: FactFailure, message: string) => void
}

/** So few that consumers that are slow leave connections of the pool to everything else. */
const STORES_AT_ONCE = 2

/** The engine of one consumer: brings it the facts that have a position, and those that it is to try again. */
export function createConsumerEngine({
  db,
  consumer,
  measure = () => {},
  onFailure = () => {}
}: ConsumerEngineOptions): Engine {
  const engine = `facts:${consumer.name}`
  const paceIn = createPaces()
  const look = (storeId: number) =>
    db.direct.one(Outstanding, outstandingFacts(storeId, consumer.name, namesOf(consumer)))

  const report = (failure: FactFailure) => {
    measure(engineFailures, 1, { engine })
    const outcome = failure.isDead ? 'and is not tried again' : 'and is tried again later'
    onFailure(failure, `Consumer ${failure.consumer} failed on ${failure.fact.name} ${outcome}`)
  }

  return {
    name: engine,
    stage: 'consumers',
    storesAtOnce: STORES_AT_ONCE,
    due: (stores) => consumerDue(stores, consumer.name, namesOf(consumer)),
    ...nextDueBy(db, (storeId) => nextFact(storeId, consumer.name, namesOf(consumer))),
    async runOnce(storeId) {
      const { isBehind, retryAt } = await look(storeId)
      if (!isBehind && !retryAt) return 0
      return consumeFacts({
        db,
        storeId,
        consumer,
        pace: paceIn(storeId),
        isBehind,
        hasRetries: retryAt !== null,
        onFailure: report
      })
    }
  }
}

const consumerDue = dueQuery<[consumer: string, names: string[]]>(
  'consumer_due',
  `select c.store_id, to_timestamp(0) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join fact_consumers c on c.store_id = s.store_id and c.position < c.last_position and c.consumer = $3::text
   union all
   select r.store_id, min(r.retry_at)
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join fact_retries r on r.store_id = s.store_id and r.retry_at <= s.until and r.consumer = $3::text
      and r.name = any($4::text[])
    group by r.store_id`
)

const Outstanding = row({
  /** Whether there are facts ahead. */
  isBehind: bool,
  /** When the first retry is due. */
  retryAt: nullable(instant)
})

const outstandingFacts = directSql<[storeId: number, consumer: string, names: string[]]>(
  'facts_outstanding',
  `select exists (select from fact_consumers
                   where store_id = $1 and consumer = $2::text and position < last_position) as is_behind,
          (select min(retry_at) from fact_retries
            where store_id = $1 and consumer = $2::text and retry_at is not null and name = any($3::text[])) as retry_at`
)

/** A consumer that was started while old facts were removed may be behind with none of them left: it only moves on, at any time. */
const nextFact = directSql<[storeId: number, consumer: string, names: string[]]>(
  'facts_next',
  `select least(
     (select coalesce((select f.occurred_at from facts f where f.store_id = $1 and f.position > c.position
                        order by f.position limit 1), to_timestamp(0))
        from fact_consumers c where c.store_id = $1 and c.consumer = $2::text and c.position < c.last_position),
     (select min(retry_at) from fact_retries
       where store_id = $1 and consumer = $2::text and retry_at is not null and name = any($3::text[])))`
)
