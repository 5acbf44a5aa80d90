import { bool, type Ctx, type Database, int, isOutage, row, sql } from '../postgres/index.ts'
import { type Consumer, StoredFact } from './consumer.ts'
import { blockedKeys, failAgain, nextRetry, putAside, type Retry, settleRetry } from './fact-retries.ts'

const BATCH = 200
const MAX_RETRIES_PER_RUN = 50

/** One failed try of a fact. `isDead`: it was the last one, and only an operator has the fact tried again. */
export type FactFailure = {
  err: unknown
  consumer: string
  fact: { id: number; name: string }
  isDead: boolean
  store: { id: number }
}

type Work = {
  db: Database
  storeId: number
  consumer: Consumer
  /** Whether the consumer has facts that it is to try again, now or later. */
  hasRetries: boolean
  onFailure: (failure: FactFailure) => void
}

/**
 * Lets one consumer handle its due retries and its next facts in one store; returns how many facts it was given. Its
 * failures are its own: a fact that fails is put aside with the later ones of its ordering key, and the others go on.
 * Throws only when the database is out of reach. One caller at a time per store and consumer; returns 0 when another one
 * is at work.
 */
export async function consumeFacts(work: Work): Promise<number> {
  let retried = 0
  if (work.hasRetries) while (retried < MAX_RETRIES_PER_RUN && (await retryOne(work))) retried++
  return retried + (await takeFacts(work))
}

async function takeFacts(work: Work): Promise<number> {
  try {
    return await takeNext(work, BATCH)
  } catch (err) {
    if (isOutage(err)) throw err
  }
  // Which fact was at fault shows when each is handled in a transaction of its own.
  let taken = 0
  while (taken < BATCH && (await takeOne(work)) > 0) taken++
  return taken
}

async function takeOne(work: Work): Promise<number> {
  let handled: StoredFact | undefined
  try {
    return await takeNext(work, 1, (facts) => ([handled] = facts))
  } catch (error) {
    if (isOutage(error) || !handled) throw error
    await setAside(work, handled, error)
    return 1
  }
}

/** The next facts after the consumer's position, handled and passed in one transaction. Returns how many there were. */
function takeNext(
  { db, storeId, consumer }: Work,
  limit: number,
  onHandle: (facts: StoredFact[]) => void = () => {}
): Promise<number> {
  return db.inStore(storeId, async (ctx) => {
    const at = await lockConsumer(ctx, consumer)
    if (!at || at.position === at.last) return 0
    const facts = await listNext(ctx, consumer, at, limit)
    const keys = at.hasRetries ? await blockedKeys(ctx, consumer, facts) : new Set<string>()
    const blocked = facts.filter((fact) => keys.has(fact.orderingKey))
    const free = facts.filter((fact) => !keys.has(fact.orderingKey))
    await putAside(ctx, consumer, blocked)
    if (free.length > 0) {
      onHandle(free)
      await consumer.handle(ctx, free)
    }
    await moveTo(ctx, consumer, facts.length < limit ? at.last : facts.at(-1)!.position)
    return facts.length
  })
}

async function setAside({ db, storeId, consumer, onFailure }: Work, fact: StoredFact, error: unknown): Promise<void> {
  const isMine = await db.inStore(storeId, async (ctx) => {
    const at = await lockConsumer(ctx, consumer)
    // Another process may have taken the fact since, and handled it.
    if (!at || at.position >= fact.position) return false
    await putAside(ctx, consumer, [fact], error)
    await moveTo(ctx, consumer, fact.position)
    return true
  })
  if (isMine) onFailure(failureOf(storeId, consumer, fact, error, false))
}

/** Tries the fact again whose retry is due first; false when none is due. */
async function retryOne(work: Work): Promise<boolean> {
  const { db, storeId, consumer } = work
  let tried: Retry | null = null
  try {
    return await db.inStore(storeId, async (ctx) => {
      const at = await lockConsumer(ctx, consumer)
      tried = at?.hasRetries ? await nextRetry(ctx, consumer) : null
      if (!tried) return false
      await consumer.handle(ctx, [tried.fact])
      await settleRetry(ctx, consumer, tried.fact)
      return true
    })
  } catch (error) {
    if (isOutage(error) || !tried) throw error
    await noteFailedRetry(work, tried, error)
    return true
  }
}

async function noteFailedRetry(
  { db, storeId, consumer, onFailure }: Work,
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

type At = { position: number; last: number; hasRetries: boolean }

/**
 * Keeps other processes from working for this consumer in this store until the transaction ends, and returns how far it
 * is; null while another process works. The position is read in a statement of its own, or it could be older than the
 * lock. The lock is not that of the row: the sequencer writes there while the consumer handles facts.
 */
async function lockConsumer({ tx, storeId }: Ctx, { name }: Consumer): Promise<At | null> {
  const { isMine } = await tx.one(
    row({ isMine: bool }),
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`consumer ${name}`}, ${storeId})) as is_mine`
  )
  if (!isMine) return null
  return tx.maybeOne(
    row({ position: int, last: int, hasRetries: bool }),
    sql`
    select position, last_position as last,
           exists (select from fact_retries
                    where store_id = ${storeId} and consumer = ${name} and dead_at is null) as has_retries
      from fact_consumers where store_id = ${storeId} and consumer = ${name}`
  )
}

function listNext(ctx: Ctx, { facts }: Consumer, { position, last }: At, limit: number): Promise<StoredFact[]> {
  return ctx.tx.many(
    StoredFact,
    sql`
    select id, position, name, ordering_key, data, refs, occurred_at from facts
     where store_id = ${ctx.storeId} and position > ${position} and position <= ${last} and name = any(${facts}::text[])
     order by position limit ${limit}`
  )
}

async function moveTo(ctx: Ctx, { name }: Consumer, position: number): Promise<void> {
  await ctx.tx.run(sql`
    update fact_consumers set position = ${position} where store_id = ${ctx.storeId} and consumer = ${name}`)
}
