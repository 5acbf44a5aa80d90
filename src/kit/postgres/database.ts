import pg from 'pg'
import { isStale, renewNames, roundOf, runNamed } from './named-statements.ts'
import { noteDriverError } from './outage.ts'
import { Pipeline } from './pipeline.ts'
import { instant, type Row, row } from './row.ts'
import { type Statement, sql } from './sql.ts'
import { types } from './types.ts'

/** The role for work of one store: row-level security limits it to that store's rows. */
export const STORE_ROLE = 'perennial_store'
/** The role for work over all stores and for the registered direct statements. */
export const OPERATOR_ROLE = 'perennial_operator'

export interface Queries {
  /** All rows, validated. */
  many<T>(row: Row<T>, statement: Statement): Promise<T[]>
  /** The one row; throws if there is none or more than one. */
  one<T>(row: Row<T>, statement: Statement): Promise<T>
  /** The row, or null; throws if there is more than one. */
  maybeOne<T>(row: Row<T>, statement: Statement): Promise<T | null>
  /** Runs a statement and returns the number of rows that it affected. */
  run(statement: Statement): Promise<number>
}

export type Tx = Queries

/** The context of a use case: one transaction, bound to one store, at one instant of that store's clock. */
export type Ctx = { tx: Tx; storeId: number; now: Temporal.Instant }

export type DatabaseStats = { statements: number; transactions: number; roundTrips: number }

const StoreClock = row({ now: instant })

/**
 * The store's time: its test clock if it has one, otherwise real time. Bound to the store by its parameter. A store that is being
 * deleted is no longer there.
 */
const storeClock = (storeId: number) => sql`
  select date_trunc('milliseconds', coalesce(clock_at, clock_timestamp())) as now
    from stores where store_id = ${storeId} and deleting_since is null`

type Runner = (statement: Statement) => Promise<pg.QueryResult>

function queriesOver(run: Runner): Queries {
  const many = async <T>(row: Row<T>, statement: Statement) => (await run(statement)).rows.map((raw) => row(raw))
  const maybeOne = async <T>(row: Row<T>, statement: Statement) => {
    const rows = await many(row, statement)
    if (rows.length > 1) throw new Error(`Expected one row, got ${rows.length}: ${statement.text.slice(0, 80)}`)
    return rows[0] ?? null
  }
  const one = async <T>(row: Row<T>, statement: Statement) => {
    const found = await maybeOne(row, statement)
    if (found === null) throw new Error(`Expected one row, got none: ${statement.text.slice(0, 80)}`)
    return found
  }
  return { many, maybeOne, one, run: async (statement) => (await run(statement)).rowCount ?? 0 }
}

/** Each statement is written for a single plan, and planning a large one again can cost more than running it. */
const ONE_PLAN_EACH = `set role ${OPERATOR_ROLE}; set plan_cache_mode = force_generic_plan; set jit = off;
  set max_parallel_workers_per_gather = 0`
/**
 * A statement over many stores must look each store up in an index. With poor statistics the planner would read whole tables
 * instead.
 */
export const PLANS_ACROSS_STORES = 'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off'

/** How long a statement waits for a lock, and a transaction for a connection. */
const MAX_WAIT_MS = 10_000

const RETRYABLE = new Set(['40001', '40P01'])
const MAX_TRIES = 4

export class UnknownStore extends Error {}

/**
 * Access to the database in four ways: `inStore` for a transaction of one store (row-level security on), `inInstallation` for a
 * transaction over all stores, `direct` for registered single statements on pipelined connections, `acrossStores` for registered
 * plain reads over many stores, on a separate pipelined connection so that they never delay a request.
 */
export class Database {
  readonly stats: DatabaseStats = { statements: 0, transactions: 0, roundTrips: 0 }
  readonly direct: Queries
  readonly acrossStores: Queries
  readonly #store: pg.Pool
  readonly #operator: pg.Pool
  readonly #pipelines: Pipeline[]

  constructor(options: {
    url: string
    poolSize?: number
    directConnections?: number
    applicationName?: string
    /** Ten seconds when left out. */
    maxWaitMs?: number
  }) {
    const { maxWaitMs = MAX_WAIT_MS } = options
    const base = {
      connectionString: options.url,
      types: types as never,
      application_name: options.applicationName ?? 'perennial',
      idleTimeoutMillis: 30_000,
      // For a new connection, and in a pool for a free one.
      connectionTimeoutMillis: maxWaitMs
    }
    const endOfWaits = `set lock_timeout = ${maxWaitMs}`
    const as = (role: string) => ({
      onConnect: async (client: pg.ClientBase) => {
        // A connection that breaks in a transaction must not end the process: its running statement fails.
        client.on('error', () => {})
        // A process that hangs in a transaction must not hold its locks for ever.
        await client.query(`set role ${role}; set idle_in_transaction_session_timeout = '60s'; ${endOfWaits}`)
      }
    })
    this.#store = new pg.Pool({
      ...base,
      max: options.poolSize ?? 8,
      pipeline: true,
      ...as(STORE_ROLE)
    } as pg.PoolConfig)
    this.#operator = new pg.Pool({ ...base, max: 3, ...as(OPERATOR_ROLE) } as pg.PoolConfig)
    // An idle connection that breaks must not end the process; the next query reports the error.
    this.#store.on('error', () => {})
    this.#operator.on('error', () => {})
    const single = `${ONE_PLAN_EACH}; ${endOfWaits}`
    const across = `${single}; ${PLANS_ACROSS_STORES}`
    this.#pipelines = [new Pipeline(base, single, options.directConnections ?? 2), new Pipeline(base, across, 1)]
    const [direct, acrossStores] = this.#pipelines.map((pipeline) =>
      queriesOver((statement) => {
        this.#count()
        return pipeline.query(statement)
      })
    )
    this.direct = direct!
    this.acrossStores = acrossStores!
  }

  /**
   * Runs one transaction of one store: commits when `work` returns, rolls back when it throws. After a deadlock or a
   * serialization failure, and once after a stale prepared statement, `work` runs again from the start, so it must have no
   * effects outside `ctx`. Throws UnknownStore if the store does not exist or is being deleted, and an error that `isBusy` knows after ten seconds
   * of waiting for a connection or for a lock.
   */
  async inStore<T>(storeId: number, work: (ctx: Ctx) => Promise<T>): Promise<T> {
    if (!Number.isSafeInteger(storeId)) throw new UnknownStore(`There is no store ${storeId}`)
    const open = async (client: pg.PoolClient, tx: Tx) => {
      // Three messages in one round trip. The setting has its own message, so that a router can forward it to the
      // machine that holds the store.
      const [, , clock] = await Promise.all([
        client.query('begin').catch(noteDriverError),
        client.query(`set local perennial.store_id = '${storeId}'`).catch(noteDriverError),
        runNamed(client, storeClock(storeId))
      ])
      const [found] = clock.rows
      if (!found) throw new UnknownStore(`There is no store ${storeId}`)
      return { tx, storeId, now: StoreClock(found).now }
    }
    return this.#transaction(this.#store, open, work)
  }

  /** Runs one transaction over all stores, such as creating a store or auditing. */
  async inInstallation<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const open = async (client: pg.PoolClient, tx: Tx) => {
      await client.query('begin').catch(noteDriverError)
      return tx
    }
    return this.#transaction(this.#operator, open, work)
  }

  /**
   * Opens a separate connection for session-level features (advisory locks, LISTEN); the caller closes it. The server drops it
   * 25 seconds after this machine stops responding, so its locks do not outlive it for long.
   */
  async session(): Promise<pg.Client> {
    const { connectionString, connectionTimeoutMillis } = this.#store.options
    const client = new pg.Client({ connectionString, connectionTimeoutMillis, types: types as never })
    client.on('error', () => {})
    await client.connect()
    try {
      await client.query(
        `set role ${OPERATOR_ROLE}; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3`
      )
    } catch (err) {
      await client.end()
      throw err
    }
    return client
  }

  async close(): Promise<void> {
    await Promise.all([this.#store.end(), this.#operator.end(), ...this.#pipelines.map((p) => p.end())])
  }

  #count() {
    this.stats.statements++
    this.stats.roundTrips++
  }

  async #transaction<Opened, T>(
    pool: pg.Pool,
    open: (client: pg.PoolClient, tx: Tx) => Promise<Opened>,
    work: (opened: Opened) => Promise<T>
  ): Promise<T> {
    const client = await pool.connect().catch(noteDriverError)
    const tx = queriesOver((statement) => {
      this.#count()
      return runNamed(client, statement)
    })
    let broken: Error | undefined
    try {
      for (let attempt = 1, hasRenewed = false; ; attempt++) {
        const round = roundOf(client)
        try {
          this.stats.transactions++
          this.stats.roundTrips++
          const opened = await open(client, tx)
          const result = await work(opened)
          this.stats.roundTrips++
          await client.query('commit').catch(noteDriverError)
          return result
        } catch (err) {
          await client.query('rollback').catch((rollbackError: Error) => {
            broken = rollbackError
          })
          if (broken) throw err
          if (isStale(err)) {
            await renewNames(client, round)
            if (hasRenewed) throw err
            hasRenewed = true
          } else if (attempt >= MAX_TRIES || !RETRYABLE.has((err as { code?: string }).code ?? '')) {
            throw err
          }
        }
      }
    } finally {
      client.release(broken)
    }
  }
}
