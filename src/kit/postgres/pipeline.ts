import pg from 'pg'
import { isStale, renewNames, roundOf, runNamed } from './named-statements.ts'
import { noteDriverError } from './outage.ts'
import type { Statement } from './sql.ts'

/**
 * A few connections that each have many statements in flight, every one its own implicit transaction. For frequent single
 * statements: the server is never idle between two of them, and no statement waits for a free connection.
 */
export class Pipeline {
  readonly #config: pg.ClientConfig
  readonly #setUp: string
  readonly #slots: (Promise<pg.Client> | null)[]
  #turn = 0
  #ended = false

  /** `setUp` runs on each connection when it is opened. */
  constructor(config: pg.ClientConfig, setUp: string, connections: number) {
    this.#config = config
    this.#setUp = setUp
    this.#slots = new Array(connections).fill(null)
  }

  /** Runs one statement; repeats it once, prepared again, if it was stale on its connection. */
  async query(statement: Statement): Promise<pg.QueryResult> {
    this.#turn = (this.#turn + 1) % this.#slots.length
    const client = await this.#client(this.#turn).catch(noteDriverError)
    const round = roundOf(client)
    try {
      return await runNamed(client, statement)
    } catch (err) {
      if (!isStale(err)) throw err
      // The first of the statements in flight to fail renews the names; the server responds in order.
      await renewNames(client, round)
      return runNamed(client, statement)
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    await Promise.all(this.#slots.map(async (slot) => (await slot?.catch(() => null))?.end()))
  }

  #client(slot: number): Promise<pg.Client> {
    if (this.#ended) throw new Error('The database is closed')
    const open = this.#slots[slot]
    if (open) return open
    const opened = this.#connect(() => {
      // By now the slot may have the next connection.
      if (this.#slots[slot] === opened) this.#slots[slot] = null
    })
    this.#slots[slot] = opened
    return opened
  }

  async #connect(onLost: () => void): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#config, pipeline: true } as pg.ClientConfig)
    // A lost connection fails its statements in flight; the next statement opens a new one.
    client.on('error', onLost)
    client.on('end', onLost)
    try {
      await client.connect()
      await client.query(this.#setUp)
      return client
    } catch (err) {
      onLost()
      void client.end().catch(() => {})
      throw err
    }
  }
}
