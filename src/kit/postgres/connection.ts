import type { Socket } from 'node:net'
import pg from 'pg'
import { NoAnswer, noteDriverError } from './outage.ts'
import { TIME_LIMITS, type TimeLimits } from './time-limits.ts'

/** When this system asks an idle connection for a sign of life. A machine that is gone is found within half a minute. */
const KEEP_ALIVE_AFTER_MS = 10_000
/**
 * The same on the server's side, so that locks do not outlive this machine for long: 25 seconds, both for a connection that is
 * idle and for bytes that nobody acknowledges.
 */
const SERVER_KEEPS_ALIVE = `set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
  set tcp_user_timeout = 25000`

export type ConnectionConfig = pg.ClientConfig & {
  limits?: TimeLimits
  /** For a connection outside `Database`: it is cut when no byte has come or gone for so long. */
  silenceMs?: number
}

/** A connection that is open. Its caller closes it, and limits the waits for its statements or gives it `silenceMs`. */
export async function openConnection(config: ConnectionConfig, setUp = ''): Promise<Connection> {
  const connection = new Connection(config)
  try {
    await connection.open(setUp)
    return connection
  } catch (err) {
    void connection.end().catch(() => {})
    throw err
  }
}

/**
 * A connection of which every wait ends: opening and closing by themselves, statements by `cut`. Statements that are asked for in the
 * same turn of the event loop are sent by one write, which costs more than all else that is done here for a short statement.
 */
export class Connection extends pg.Client {
  readonly #limits: TimeLimits
  readonly #silenceMs: number
  #isGathering = false

  constructor({ limits = TIME_LIMITS, silenceMs = 0, ...config }: ConnectionConfig) {
    super({
      ...config,
      connectionTimeoutMillis: limits.connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS
    })
    this.#limits = limits
    this.#silenceMs = silenceMs
    // A connection that breaks must not end the process: its statements fail.
    this.on('error', () => {})
    const ask = this.query
    this.query = ((...asked: unknown[]) => {
      this.#gather()
      return ask.apply(this, asked as never)
    }) as typeof this.query
  }

  /** Holds back what is written until the end of this turn. */
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const socket = this.#socket
    socket.cork()
    process.nextTick(() => {
      this.#isGathering = false
      socket.uncork()
    })
  }

  /** Ends the connection without a word to the server; what waits on it fails with this reason. */
  cut(reason: Error): void {
    this.#socket.destroy(reason)
  }

  /** The driver has no way to cut a connection; over TLS it replaces the socket. */
  get #socket(): Socket {
    return (this as unknown as { connection: { stream: Socket } }).connection.stream
  }

  /** Connects and runs the statements that prepare the connection, all of it in the time of one connect. */
  async open(setUp: string): Promise<void> {
    await this.within(this.#limits.connectMs, async () => {
      await this.connect()
      this.#socket.setTimeout(this.#silenceMs, () => this.cut(new NoAnswer(this.#silenceMs)))
      await this.setUp(setUp)
    })
  }

  /** Runs the statements that prepare the connection, which is connected. */
  async setUp(statements: string): Promise<void> {
    await this.within(this.#limits.connectMs, () => this.query(`${SERVER_KEEPS_ALIVE}; ${statements}`))
  }

  /** Runs `work`, which waits for this connection only, and cuts the connection when that takes longer. */
  async within<T>(ms: number, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.cut(new NoAnswer(ms)), ms)
    try {
      return await work().catch(noteDriverError)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Says goodbye to the server, and cuts the connection when nothing comes of that. */
  override end(): Promise<void>
  override end(callback: (err: Error) => void): void
  override end(callback?: (err: Error) => void): Promise<void> | void {
    const timer = setTimeout(() => this.cut(new NoAnswer(this.#limits.endMs)), this.#limits.endMs).unref()
    this.once('end', () => clearTimeout(timer))
    return callback ? super.end(callback) : super.end()
  }
}
