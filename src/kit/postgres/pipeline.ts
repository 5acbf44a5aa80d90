import type pg from 'pg'
import type { AnswerWatch, Asking } from './answer-watch.ts'
import { Connection, type ConnectionConfig } from './connection.ts'
import { isStale, renewNames, roundOf, runNamed } from './named-statements.ts'
import { isOutage, noteDriverError } from './outage.ts'
import type { Statement } from './sql.ts'

type Slot = { connection: Connection; asking: Asking }

/**
 * A few connections that each have many statements in flight, every one its own implicit transaction. For frequent single
 * statements: the server is never idle between two of them, and no statement waits for a free connection.
 */
export class Pipeline {
  readonly #options: PipelineOptions
  readonly #slots: (Promise<Slot> | null)[]
  #turn = 0
  #ended = false

  constructor(options: PipelineOptions) {
    this.#options = options
    this.#slots = new Array(options.connections).fill(null)
  }

  /** Runs one statement; repeats it once, prepared again, if it was stale on its connection. */
  async query(statement: Statement): Promise<pg.QueryResult> {
    const { watch } = this.#options
    this.#turn = (this.#turn + 1) % this.#slots.length
    const { connection, asking } = await this.#slot(this.#turn).catch(noteDriverError)
    const round = roundOf(connection)
    try {
      return await watch.oneOfMany(asking, () => runNamed(connection, statement))
    } catch (err) {
      if (!isStale(err)) throw err
      // The first of the statements in flight to fail renews the names; the server responds in order.
      return watch.oneOfMany(asking, async () => {
        await renewNames(connection, round)
        return runNamed(connection, statement)
      })
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    await Promise.all(this.#slots.map(async (slot) => (await slot?.catch(() => null))?.connection.end()))
  }

  #slot(at: number): Promise<Slot> {
    if (this.#ended) throw new Error('The database is closed')
    const open = this.#slots[at]
    if (open) return open
    const opened = this.#connect(() => {
      // By now the slot may have the next connection.
      if (this.#slots[at] === opened) this.#slots[at] = null
    })
    this.#slots[at] = opened
    return opened
  }

  async #connect(onLost: () => void): Promise<Slot> {
    const { config, setUp, watch, answerMs } = this.#options
    const connection = new Connection({ ...config, pipeline: true })
    // A lost connection fails its statements in flight; the next statement opens a new one.
    connection.on('error', onLost)
    connection.on('end', onLost)
    try {
      await connection.open(setUp)
    } catch (err) {
      onLost()
      if (isOutage(err)) watch.doubt(answerMs)
      void connection.end().catch(() => {})
      throw err
    }
    const asking = watch.statements(connection, answerMs)
    connection.once('end', () => watch.over(asking))
    return { connection, asking }
  }
}

type PipelineOptions = {
  config: ConnectionConfig
  /** Runs on each connection when it is opened. */
  setUp: string
  connections: number
  watch: AnswerWatch
  /** How long the server may take for the next answer. */
  answerMs: number
}
