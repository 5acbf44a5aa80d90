import { bool, type Ctx, type Database, int, isOutage, nullable, row, sql, textList } from '../postgres/index.ts'
import { type Consumer, StoredFact } from './consumer.ts'
import { blockedKeys, failAgain, namesOf, nextRetry, putAside, type Retry, settleRetry } from './fact-retries.ts'
import { handleInTime } from './handle-in-time.ts'
import type { Pace } from './pace.ts'

const MAX_RETRIES_PER_RUN = 50
/** After this time a run begins no further try, so that whoever wants the store does not wait for long. */
const MAX_RUN_MS = 5_000

/** One failed try of a fact. `isDead`: it was the last one, and only an operator has the fact tried again. */
export type FactFailure = {
  err: unknown
  consumer: string
  fact: { id: number; name: string }
  isDead: boolean
  store: { id: number }
}

export type Consumption = {
  db: Database
  storeId: number
  consumer: Consumer
  pace: Pace
  /** Whether the consumer has facts ahead, and whether it has facts that it is to try again, now or later. */
  isBehind: boolean
  hasRetries: boolean
  onFailure: (failure: FactFailure) => void
}

/**
 * Lets one consumer handle its due retries and its next facts in one store; returns how many facts it was given. A fact that
 * fails is put aside with the later ones of its ordering key, and the others go on. Throws when the database is out of reach, and
 * when several facts failed together and there is no time left to find out which. One caller at a time per store and consumer;
 * returns 0 when another one is at work.
 */
export async function consumeFacts(work: Consumption): Promise<number> {
  const endsAt = performance.now() + MAX_RUN_MS
  let retried = 0
  if (work.hasRetries) {
    while (retried < MAX_RETRIES_PER_RUN && performance.now() < endsAt && (await retryOne(work))) retried++
  }
  return retried + (work.isBehind ? await takeFacts(work, endsAt) : 0)
}

/** Takes the next facts. When they fail it takes fewer, until the first of them is handled or has failed by itself. */
async function takeFacts(work: Consumption, endsAt: number): Promise<number> {
  const { pace } = work
  for (;;) {
    const limit = pace.limit()
    let facts: StoredFact[] = []
    const began = performance.now()
    try {
      const taken = await takeNext(work, limit, (given) => {
        facts = given
      })
      pace.succeeded(performance.now() - began)
      return taken
    } catch (error) {
      if (facts.length === 0 || (isOutage(error) && pace.mayRepeat())) throw error
      if (facts.length === 1) {
        await setAside(work, facts[0]!, error)
        return 1
      }
      pace.failed(facts.length)
      if (performance.now() > endsAt) throw error
    }
  }
}

/** The next facts after the consumer's position, handled and passed in one transaction. Returns how many there were. */
function takeNext(
  { db, storeId, consumer }: Consumption,
  limit: number,
  onHandle: (facts: StoredFact[]) => void
): Promise<number> {
  return db.inStore(storeId, async (ctx) => {
    const at = await lockConsumer(ctx, consumer)
    if (!at || at.position === at.last) return 0
    const unknown = (at.wanted ?? []).filter((name) => !namesOf(consumer).includes(name))
    const facts = await listNext(ctx, [...consumer.facts, ...unknown], at, limit)
    const keys = at.hasRetries ? await blockedKeys(ctx, consumer, facts) : new Set<string>()
    const { free, waiting, newer } = sort(facts, keys, unknown)
    await putAside(ctx, consumer, waiting, 'waits')
    await putAside(ctx, consumer, newer, 'needs newer code')
    if (free.length > 0) {
      onHandle(facts)
      await handleInTime(ctx, consumer, free, { isRepeat: at.position < at.furthest })
    }
    await moveTo(ctx, consumer, at, facts.length < limit ? at.last : facts.at(-1)!.position)
    return facts.length
  })
}

/** `waiting` are facts whose ordering key has an earlier one in `keys` or in `newer`: those that only newer code can handle. */
function sort(facts: StoredFact[], keys: Set<string>, unknown: string[]) {
  const sorted = { free: [] as StoredFact[], waiting: [] as StoredFact[], newer: [] as StoredFact[] }
  for (const fact of facts) {
    if (keys.has(fact.orderingKey)) sorted.waiting.push(fact)
    else if (unknown.includes(fact.name)) {
      sorted.newer.push(fact)
      keys.add(fact.orderingKey)
    } else sorted.free.push(fact)
  }
  return sorted
}

async function setAside(
  { db, storeId, consumer, onFailure }: Consumption,
  fact: StoredFact,
  error: unknown
): Promise<void> {
  const isMine = await db.inStore(storeId, async (ctx) => {
    const at = await lockConsumer(ctx, consumer)
    // Another process may have taken the fact since, and handled it.
    if (!at || at.position >= fact.position) return false
    await putAside(ctx, consumer, [fact], { error })
    await moveTo(ctx, consumer, at, fact.position)
    return true
  })
  if (isMine) onFailure(failureOf(storeId, consumer, fact, error, false))
}

/** Tries the fact again whose retry is due first; false when none is due. */
async function retryOne(work: Consumption): Promise<boolean> {
  const { db, storeId, consumer, pace } = work
  let tried: Retry | null = null
  try {
    return await db.inStore(storeId, async (ctx) => {
      const at = await lockConsumer(ctx, consumer)
      tried = at?.hasRetries ? await nextRetry(ctx, consumer) : null
      if (!tried) return false
      const isDropped = consumer.dropped.includes(tried.fact.name)
      // Whether it was handled before its position was set back is not known.
      if (!isDropped) await handleInTime(ctx, consumer, [tried.fact], { isRepeat: true })
      await settleRetry(ctx, consumer, tried.fact)
      return true
    })
  } catch (error) {
    if (!tried || (isOutage(error) && pace.mayRepeat())) throw error
    await noteFailedRetry(work, tried, error)
    return true
  }
}

async function noteFailedRetry(
  { db, storeId, consumer, onFailure }: Consumption,
  { fact, attempts }: Retry,
  error: unknown
): Promise<void> {
  const failed = await db.inStore(storeId, async (ctx) => {
    const at = await lockConsumer(ctx, consumer)
    const current = at && (await nextRetry(ctx, consumer))
    // Another process may have taken the fact since.
    if (current?.fact.id !== fact.id || current.attempts !== attempts) return null
    return { retryAt: await failAgain(ctx, consumer, { fact, attempts, error }) }
  })
  if (failed) onFailure(failureOf(storeId, consumer, fact, error, failed.retryAt === null))
}

function failureOf(
  storeId: number,
  consumer: Consumer,
  { id, name }: StoredFact,
  err: unknown,
  isDead: boolean
): FactFailure {
  return { err, consumer: consumer.name, fact: { id, name }, isDead, store: { id: storeId } }
}

const At = row({
  position: int,
  furthest: int,
  last: int,
  hasRetries: bool,
  /** The names of all facts that some version of the consumer receives; null for one that was never made known. */
  wanted: nullable(textList)
})
type At = ReturnType<typeof At>

/**
 * Keeps other processes from working for this consumer in this store until the transaction ends, and returns how far it
 * is; null while another process works. The position is read in a statement of its own, or it could be older than the
 * lock. The lock is not that of the row: the sequencer writes there while the consumer handles facts.
 */
async function lockConsumer({ tx, storeId }: Ctx, { name, maxMs }: Consumer): Promise<At | null> {
  const { isMine } = await tx.one(
    row({ isMine: bool }),
    sql`
    select pg_try_advisory_xact_lock(hashtextextended(${`consumer ${name}`}, ${storeId})) as is_mine,
           set_config('statement_timeout', ${String(maxMs)}, true)`
  )
  if (!isMine) return null
  // What newer code wants is made known before its facts are recorded: whoever sees the facts sees that too.
  return tx.maybeOne(
    At,
    sql`
    select position, furthest, last_position as last,
           exists (select from fact_retries
                    where store_id = ${storeId} and consumer = ${name} and dead_at is null) as has_retries,
           (select facts from known_consumers where name = ${name}) as wanted
      from fact_consumers where store_id = ${storeId} and consumer = ${name}`
  )
}

function listNext(ctx: Ctx, names: string[], { position, last }: At, limit: number): Promise<StoredFact[]> {
  return ctx.tx.many(
    StoredFact,
    sql`
    select id, position, name, ordering_key, data, refs, occurred_at from facts
     where store_id = ${ctx.storeId} and position > ${position} and position <= ${last} and name = any(${names}::text[])
     order by position limit ${limit}`
  )
}

async function moveTo(ctx: Ctx, { name }: Consumer, { furthest }: At, position: number): Promise<void> {
  await ctx.tx.run(sql`
    update fact_consumers set position = ${position}, furthest = ${Math.max(position, furthest)}
     where store_id = ${ctx.storeId} and consumer = ${name}`)
}
