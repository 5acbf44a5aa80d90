import { createHmac } from 'node:crypto'
import pg from 'pg'
import { Attempt, RolledBack } from './attempt.ts'
import type { Connection } from './connection.ts'
import { Connections, type DatabaseOptions, endOfWaits, OPERATOR_ROLE, POOLED_WORK } from './connections.ts'
import { isStale, renewNames, roundOf, runNamed } from './named-statements.ts'
import { NO_CONNECTION, NoAnswer, noteDriverError } from './outage.ts'
import type { Pipeline } from './pipeline.ts'
import { type Queries, queriesOver, type Tx } from './queries.ts'
import { bool, instant, int, row } from './row.ts'
import { sentTogether } from './sent-together.ts'
import { type Statement, sql } from './sql.ts'
import type { Work } from './time-limits.ts'

/**
 * The context of a use case: one transaction, bound to one store, at one instant of that store's clock. `realNowMs` is the
 * database's real time in epoch milliseconds, by which it grants leases. `isRestored` and `isCaughtUp` are those of
 * `StoreStatus`, as they were when the transaction began: whoever claims work on the platform, or something to send, asks them in
 * the claim's own transaction, because a hold may begin while a node is at work.
 */
export type Ctx = {
  tx: Tx
  storeId: number
  now: Temporal.Instant
  realNowMs: number
  isRestored: boolean
  isCaughtUp: boolean
  pseudonym: Pseudonym
}

/**
 * A keyed hash of a text, another one in each store, by which it is known again without being stored. Null in a process that has no key.
 */
export type Pseudonym = (storeId: number, text: string) => Buffer | null

/** A transaction of a store before its clock is read. */
export type Bound = Pick<Ctx, 'tx' | 'storeId'>

export type DatabaseStats = { statements: number; transactions: number; roundTrips: number }

const StoreClock = row({ now: instant, realNowMs: int, isRestored: bool, isCaughtUp: bool })

/**
 * The store's time: its test clock if it has one, otherwise real time; and whether it is on hold, which costs no statement of its
 * own here. Bound to the store by its parameter. A store that is being deleted is no longer there.
 */
const storeClock = (storeId: number) => sql`
  select date_trunc('milliseconds', coalesce(clock_at, clock_timestamp())) as now,
         (extract(epoch from clock_timestamp()) * 1000)::bigint as real_now_ms,
         restored_at is not null as is_restored, not catching_up as is_caught_up
    from stores where store_id = ${storeId} and deleting_since is null`

const RETRYABLE = new Set(['40001', '40P01'])
const MAX_TRIES = 4

export class UnknownStore extends Error {}

/** The part of a pool of `pg` that libraries use. */
export type LibraryPool = {
  connect(): Promise<{
    query(text: string, values: readonly unknown[]): Promise<pg.QueryResult>
    /** With true the connection is not used again. */
    release(isBroken?: boolean): void
  }>
}

/**
 * Access to the database in four ways: `inStore` for a transaction of one store (row-level security on), `inInstallation` for a
 * transaction over all stores, `direct` for registered single statements on pipelined connections, `acrossStores` for registered
 * plain reads over many stores, on a separate pipelined connection so that they never delay a request. Every wait ends
 * (`TIME_LIMITS`): the server ends long statements, and a connection on which it does not answer is cut.
 */
export class Database {
  readonly stats: DatabaseStats
  readonly direct: Queries
  readonly acrossStores: Queries
  readonly #connections: Connections
  readonly #work: Work

  /** A database for engines. `from` is another one, whose connections it uses for this work. */
  constructor(options: DatabaseOptions, from: { database: Database; work: Work } | null = null) {
    this.#connections = from ? from.database.#connections : new Connections(options)
    this.#work = from?.work ?? 'background'
    this.stats = from ? from.database.stats : { statements: 0, transactions: 0, roundTrips: 0 }
    const over = (pipeline: Pipeline) =>
      queriesOver((statement) => {
        this.#count()
        return pipeline.query(statement)
      })
    this.direct = from ? from.database.direct : over(this.#connections.direct)
    this.acrossStores = from ? from.database.acrossStores : over(this.#connections.acrossStores)
  }

  readonly pseudonym: Pseudonym = (storeId, text) => {
    const { pseudonymKey } = this.#connections
    return pseudonymKey && createHmac('sha256', pseudonymKey).update(`${storeId} ${text}`).digest()
  }

  /** For connections of one's own. It may hold a password. */
  get url(): string {
    return this.#connections.url
  }

  /** This database, on the same connections, with the time limits of this kind of work. */
  forWork(work: Work): Database {
    return new Database({ url: '' }, { database: this, work })
  }

  /**
   * Runs one transaction of one store: commits when `work` returns, rolls back when it throws. After a deadlock or a
   * serialization failure, and once after a stale prepared statement, `work` runs again from the start, so it must have no
   * effects outside `ctx`. Throws UnknownStore if the store does not exist or is being deleted, an error that `isBusy` knows when
   * it waited too long for a connection or for a lock, and one that `isOutage` knows when the database does not answer: if that
   * was during the commit, it is not known whether the transaction was carried out.
   */
  async inStore<T>(storeId: number, work: (ctx: Ctx) => Promise<T>): Promise<T> {
    return this.#inStore(storeId, work, async () => null, '')
  }

  /**
   * Like `inStore`, for frequent transactions that find rows by key only. What `early` asks for is sent with the beginning, in its
   * round trip, before the store's time is known; `work` gets its result. Each statement keeps its plan: PostgreSQL plans one with
   * a list again and again, because it takes a list that it knows for a shorter one, and that costs more than to carry it out.
   */
  async inStoreByKeys<Early, T>(
    storeId: number,
    early: (bound: Bound) => Promise<Early>,
    work: (ctx: Ctx, early: Early) => Promise<T>
  ): Promise<T> {
    return this.#inStore(storeId, work, early, '; set local plan_cache_mode = force_generic_plan')
  }

  async #inStore<Early, T>(
    storeId: number,
    work: (ctx: Ctx, early: Early) => Promise<T>,
    early: (bound: Bound) => Promise<Early>,
    settings: string
  ): Promise<T> {
    if (!Number.isSafeInteger(storeId)) throw new UnknownStore(`There is no store ${storeId}`)
    return this.#transaction(this.#connections.store, {
      open: async (client) => {
        // Messages in one round trip. The setting has its own message, so that a router can forward it to the machine that
        // holds the store.
        const [, , clock] = await sentTogether(
          this.#begin(client, settings),
          client.query(`set local perennial.store_id = '${storeId}'`).catch(noteDriverError),
          runNamed(client, storeClock(storeId))
        )
        const [found] = clock.rows
        if (!found) throw new UnknownStore(`There is no store ${storeId}`)
        return StoreClock(found)
      },
      early: async (tx) => early({ tx, storeId }),
      work: (tx, clock, read) => work({ tx, storeId, ...clock, pseudonym: this.pseudonym }, read)
    })
  }

  /** Runs one transaction over all stores, such as creating a store or auditing. */
  async inInstallation<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const open = (client: pg.ClientBase) => this.#begin(client)
    return this.#transaction(this.#connections.operator, { open, early: async () => null, work })
  }

  /**
   * What a library that writes its own SQL takes for a pool of `pg`: connections of the operator role, with the limits of requests.
   * Values have the types of `pg`, times are Date. A connection on which something failed otherwise than by an answer of the server is
   * not used again.
   */
  readonly libraryPool: LibraryPool = {
    connect: async () => {
      const beganAt = performance.now()
      const { limits, watch, operator } = this.#connections
      const client = await this.#checkOut(operator)
      const asking = watch.transaction(client as never, limits.request.answerMs, limits.requestMs, beganAt)
      let broken: Error | undefined
      return {
        query: (text, values) => {
          this.#count()
          const asked = watch.answer(asking, () =>
            client.query({ text, values: [...values], types: pg.types as never })
          )
          return asked.catch((err: Error & { code?: string }) => {
            if (!/^[0-9A-Z]{5}$/.test(err.code ?? '')) broken = err
            return noteDriverError(err)
          })
        },
        release: (isBroken) => {
          watch.over(asking)
          client.release(broken ?? isBroken)
          this.#connections.usedAt.set(client, performance.now())
        }
      }
    }
  }

  /**
   * Opens a separate connection for session-level features (advisory locks, LISTEN); the caller closes it, and limits the waits for
   * its statements. The server drops it 25 seconds after this machine stops responding, so its locks do not outlive it for long.
   */
  async session(): Promise<Connection> {
    return this.#connections.open(`set role ${OPERATOR_ROLE}`).catch(noteDriverError)
  }

  /**
   * For a service that stops: from now on an answer is awaited this long at most, and a transaction lasts at most twice as long.
   */
  shortenWaits(answerMs: number): void {
    this.#connections.watch.shortenWaits(answerMs)
  }

  async close(): Promise<void> {
    await this.#connections.close()
  }

  #count() {
    this.stats.statements++
    this.stats.roundTrips++
  }

  /** Begins a transaction, with the limits of its work and other settings, in one message. */
  async #begin(client: pg.ClientBase, settings = ''): Promise<void> {
    const limits = this.#work === POOLED_WORK ? '' : `; ${endOfWaits(this.#connections.limits[this.#work], 'local ')}`
    await client.query(`begin${limits}${settings}`).catch(noteDriverError)
  }

  /** Waits for a connection as long as the limit says, the opening of a new one included. */
  async #checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
    const waiting = pool.connect()
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      waiting.then(
        (client) => client.release(),
        () => {}
      )
      late.reject(new Error(NO_CONNECTION))
    }, this.#connections.limits.checkoutMs)
    try {
      const client = await Promise.race([waiting, late.promise]).catch(noteDriverError)
      const { usedAt, watch } = this.#connections
      if ((usedAt.get(client) ?? Number.POSITIVE_INFINITY) > watch.doubtedAt) return client
      // It was idle when the server could not be reached, and may have died of the same.
      client.release(new NoAnswer(0))
    } finally {
      clearTimeout(timer)
    }
    return this.#checkOut(pool)
  }

  async #transaction<Opened, Early, T>(pool: pg.Pool, steps: Steps<Opened, Early, T>): Promise<T> {
    const beganAt = performance.now()
    const { limits, watch } = this.#connections
    const client = await this.#checkOut(pool)
    const wholeMs = this.#work === 'request' ? limits.requestMs : Number.POSITIVE_INFINITY
    const asking = watch.transaction(client as never, limits[this.#work].answerMs, wholeMs, beganAt)
    const sendOnly = (statement: Statement) => {
      this.stats.statements++
      return watch.answer(asking, () => runNamed(client, statement))
    }
    const ask = (statement: Statement) => {
      this.stats.roundTrips++
      return sendOnly(statement)
    }
    let broken: Error | undefined
    try {
      for (let tried = 1, hasRenewed = false; ; tried++) {
        const round = roundOf(client)
        const attempt = new Attempt(ask, sendOnly)
        try {
          this.stats.transactions++
          this.stats.roundTrips++
          const opening = watch.answer(asking, () => steps.open(client), limits.connectMs)
          const begun = opening.then((opened) => {
            attempt.begun()
            return opened
          })
          const [opened, read] = await sentTogether(begun, steps.early(attempt.tx))
          const result = await steps.work(attempt.tx, opened, read)
          attempt.end()
          this.stats.roundTrips++
          const { command } = await watch.answer(asking, () => client.query('commit').catch(noteDriverError))
          if (command === 'COMMIT') return result
          throw new RolledBack('A statement of the transaction failed, so that its commit was a rollback')
        } catch (thrown) {
          attempt.end()
          const ended = watch.answer(asking, () => client.query('rollback'))
          await ended.catch((rollbackError: Error) => {
            broken = rollbackError
          })
          const err = await attempt.causeOf(thrown)
          if (broken) throw err
          if (isStale(err)) {
            await watch.answer(asking, () => renewNames(client, round))
            if (hasRenewed) throw err
            hasRenewed = true
          } else if (tried >= MAX_TRIES || !RETRYABLE.has((err as { code?: string }).code ?? '')) {
            throw err
          }
        }
      }
    } finally {
      watch.over(asking)
      // A connection that was cut is not used again.
      client.release(broken)
      this.#connections.usedAt.set(client, performance.now())
    }
  }
}

type Steps<Opened, Early, T> = {
  open: (client: pg.ClientBase) => Promise<Opened>
  /** Its statements are sent behind those of `open`, in the same round trip. */
  early: (tx: Tx) => Promise<Early>
  work: (tx: Tx, opened: Opened, early: Early) => Promise<T>
}
