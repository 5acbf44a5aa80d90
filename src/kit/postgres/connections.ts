import pg from 'pg'
import { pseudonymKeyOf } from '../secrets.ts'
import { AnswerWatch } from './answer-watch.ts'
import { Connection, type ConnectionConfig, openConnection } from './connection.ts'
import { Pipeline } from './pipeline.ts'
import { type StatementLimits, TIME_LIMITS, type TimeLimits, type Work } from './time-limits.ts'
import { types } from './types.ts'

/** The role for work of one store: row-level security limits it to that store's rows. */
export const STORE_ROLE = 'perennial_store'
/** The role for work over all stores and for the registered direct statements. */
export const OPERATOR_ROLE = 'perennial_operator'

/** Each statement is written for a single plan, and planning a large one again can cost more than running it. */
const ONE_PLAN_EACH = `set role ${OPERATOR_ROLE}; set plan_cache_mode = force_generic_plan; set jit = off;
  set max_parallel_workers_per_gather = 0`
/**
 * A statement over many stores must look each store up in an index. With poor statistics the planner would read whole tables
 * instead.
 */
export const PLANS_ACROSS_STORES = 'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off'

/** Settings of a session or, with `local`, of a transaction: when the server ends a statement. */
export const endOfWaits = ({ lockMs, statementMs }: StatementLimits, local = '') =>
  `set ${local}lock_timeout = ${lockMs}; set ${local}statement_timeout = ${statementMs}`

/** The work for whose limits the connections of the pools are set up; a transaction of other work sets its own. */
export const POOLED_WORK: Work = 'request'

export type DatabaseOptions = {
  url: string
  poolSize?: number
  directConnections?: number
  applicationName?: string
  /** TIME_LIMITS when left out. */
  limits?: TimeLimits
  /**
   * The installation's, from which the key of pseudonyms is derived: that is not in the database. A process without it cannot write
   * customers where somebody was erased.
   */
  masterKey?: Buffer
}

/** The connections of a process, which it uses for every kind of work. */
export class Connections {
  readonly url: string
  readonly limits: TimeLimits
  readonly watch: AnswerWatch
  readonly store: pg.Pool
  readonly operator: pg.Pool
  readonly direct: Pipeline
  readonly acrossStores: Pipeline
  /** When connections of the pools were last used. */
  readonly usedAt = new WeakMap<pg.ClientBase, number>()
  readonly pseudonymKey: Buffer | null
  readonly #config: ConnectionConfig

  constructor(options: DatabaseOptions) {
    const { url, poolSize, directConnections, applicationName, limits = TIME_LIMITS } = options
    this.url = url
    this.pseudonymKey = options.masterKey ? pseudonymKeyOf(options.masterKey) : null
    this.limits = limits
    this.watch = new AnswerWatch(Math.min(limits.direct.answerMs, limits.request.answerMs))
    this.#config = {
      connectionString: url,
      application_name: applicationName ?? 'perennial',
      types: types as never,
      limits
    }
    this.store = this.#pool(STORE_ROLE, poolSize ?? 8)
    this.operator = this.#pool(OPERATOR_ROLE, 3)
    const pipeline = (statements: StatementLimits, setUp: string, connections: number) =>
      new Pipeline({
        config: this.#config,
        setUp: `${setUp}; ${endOfWaits(statements)}`,
        connections,
        watch: this.watch,
        answerMs: statements.answerMs
      })
    this.direct = pipeline(limits.direct, ONE_PLAN_EACH, directConnections ?? 2)
    this.acrossStores = pipeline(limits.acrossStores, `${ONE_PLAN_EACH}; ${PLANS_ACROSS_STORES}`, 1)
  }

  #pool(role: string, max: number): pg.Pool {
    const { checkoutMs, idleInTransactionMs, [POOLED_WORK]: statements } = this.limits
    const pool = new pg.Pool({
      ...this.#config,
      Client: Connection,
      max,
      pipeline: true,
      idleTimeoutMillis: 30_000,
      connectionTimeoutMillis: checkoutMs,
      onConnect: (client: Connection) =>
        client.setUp(
          // A process that hangs in a transaction must not hold its locks for ever.
          `set role ${role}; set idle_in_transaction_session_timeout = ${idleInTransactionMs}; ${endOfWaits(statements)}`
        )
    } as never)
    // An idle connection that breaks must not end the process; the next query reports the error.
    pool.on('error', () => {})
    return pool
  }

  /** A connection outside the pools, which its caller closes. */
  open(setUp: string): Promise<Connection> {
    return openConnection(this.#config, setUp)
  }

  async close(): Promise<void> {
    await Promise.all([this.store.end(), this.operator.end(), this.direct.end(), this.acrossStores.end()])
  }
}
