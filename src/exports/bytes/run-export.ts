import type { Transform } from 'node:stream'
import { type Connection, copyRows, type RunningCopy, sentTogether } from '#kit/postgres'
import type { PagePlan } from '../endpoint.ts'
import { createCompressor } from './compress.ts'
import { CANCEL_MS, type OwnConnection, type ThreadConnections } from './connections.ts'
import { JsonRows } from './json-rows.ts'
import { type Encoding, WINDOW_BYTES } from './messages.ts'

/** Thrown by an export that its reader has left. */
export class Cancelled extends Error {}

/** One export of a thread: a COPY whose rows become JSON while they arrive, as fast as the reader takes them. */
export class Export {
  readonly #plan: PagePlan
  readonly #send: (chunk: Uint8Array<ArrayBuffer>) => void
  readonly #compressor: Transform | null
  #untakenBytes = 0
  #copy: RunningCopy | null = null
  #isCancelled = false
  #cancelNow = () => {}
  /** The end of a cancelled statement: until then its connection is not used. */
  #cancelling: Promise<void> | null = null

  constructor(plan: PagePlan, encoding: Encoding, send: (chunk: Uint8Array<ArrayBuffer>) => void) {
    this.#plan = plan
    this.#send = send
    this.#compressor = encoding === 'identity' ? null : createCompressor(encoding)
    this.#compressor?.on('data', (chunk: Buffer) => this.#pass(ownMemory(chunk)))
    this.#compressor?.on('drain', () => this.#flow())
  }

  /** The reader took so many bytes. */
  taken(bytes: number): void {
    this.#untakenBytes -= bytes
    this.#flow()
  }

  cancel(): void {
    this.#isCancelled = true
    this.#compressor?.destroy()
    this.#cancelNow()
  }

  /** Returns the number of rows. Throws Cancelled, or what the server said. The connection is free or closed then. */
  async run(connections: ThreadConnections): Promise<number> {
    const rows = await this.#copyAll(connections)
    await this.#endCompressor()
    return rows
  }

  async #copyAll(connections: ThreadConnections): Promise<number> {
    this.#stopIfCancelled()
    const own = await connections.take()
    try {
      this.#stopIfCancelled()
      const rows = await this.#copyOn(own, connections)
      connections.giveBack(own)
      return rows
    } catch (err) {
      await this.#cancelling
      await rollBack(own, connections)
      throw this.#isCancelled ? new Cancelled() : err
    }
  }

  /**
   * Begins the transaction. The setting of the store has a message of its own, so that a router can forward it to the machine that holds the
   * store; what follows may be sent behind it at once.
   */
  #begin(connection: Connection): Promise<unknown> {
    const { storeId, timeZone } = this.#plan
    if (!Number.isSafeInteger(storeId) || !/^[\w+/-]{1,64}$/.test(timeZone))
      throw new Error('The plan names no store or zone')
    const begun = connection.query(`begin read only; set local timezone = '${timeZone}'`)
    const bound = connection.query(`set local perennial.store_id = '${storeId}'`)
    return connection.within(CANCEL_MS, () => sentTogether(begun, bound))
  }

  async #copyOn(own: OwnConnection, connections: ThreadConnections): Promise<number> {
    const { select, head, tail } = this.#plan
    let failure: Error | null = null
    const rows = new JsonRows(this.#plan, (chunk) => this.#write(chunk))
    rows.text(head)
    const begun = this.#begin(own.connection)
    const copy = copyRows(own.connection, `copy (${select}) to stdout`, (row) => {
      if (this.#isCancelled || failure) return
      try {
        rows.row(row)
      } catch (err) {
        // Thrown here, it would break the driver's reading. The statement is of no use any more.
        failure = err as Error
        this.#cancelNow()
      }
    })
    const committed = own.connection.query('commit')
    for (const part of [begun, committed]) part.catch(() => {})
    this.#copy = copy
    this.#cancelNow = () => {
      this.#cancelNow = () => {}
      this.#cancelling = endOnServer(own, connections, copy)
    }
    try {
      const count = await own.connection.within(connections.answerMs, () => copy.ended)
      if (failure) throw failure
      this.#stopIfCancelled()
      // Rows that were copied outside of the transaction would be of no store.
      await begun
      await own.connection.within(CANCEL_MS, () => committed)
      rows.end(tail)
      return count
    } catch (err) {
      throw failure ?? err
    } finally {
      this.#copy = null
      this.#cancelNow = () => {}
    }
  }

  async #endCompressor(): Promise<void> {
    const compressor = this.#compressor
    if (!compressor) return
    const ended = Promise.withResolvers<void>()
    compressor.once('end', ended.resolve)
    compressor.once('error', ended.reject)
    compressor.once('close', () => ended.reject(new Cancelled()))
    compressor.end()
    await ended.promise
  }

  #stopIfCancelled(): void {
    if (this.#isCancelled) throw new Cancelled()
  }

  #write(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#compressor) this.#compressor.write(chunk)
    else this.#pass(chunk)
    this.#flow()
  }

  #pass(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#isCancelled) return
    this.#untakenBytes += chunk.length
    this.#send(chunk)
    this.#flow()
  }

  /** The COPY waits for the reader and for the compressor, and the compressor for the reader. */
  #flow(): void {
    const isFull = this.#untakenBytes >= WINDOW_BYTES
    if (this.#compressor && !this.#isCancelled) {
      if (isFull) this.#compressor.pause()
      else if (this.#compressor.isPaused()) this.#compressor.resume()
    }
    if (!this.#copy || this.#isCancelled) return
    if (isFull || this.#compressor?.writableNeedDrain) this.#copy.pause()
    else this.#copy.resume()
  }
}

/**
 * Ends the statement on the server and reads what is still on its way: a server that waits for its reader hears nothing. Where that
 * does not help, the connection is cut.
 */
async function endOnServer(own: OwnConnection, connections: ThreadConnections, copy: RunningCopy): Promise<void> {
  const timer = setTimeout(() => connections.discard(own, new Cancelled()), CANCEL_MS)
  copy.resume()
  const ended = copy.ended.catch(() => {})
  try {
    await connections.cancel(own)
  } catch (err) {
    connections.discard(own, err as Error)
  }
  await ended
  clearTimeout(timer)
}

async function rollBack(own: OwnConnection, connections: ThreadConnections): Promise<void> {
  try {
    await own.connection.within(CANCEL_MS, () => own.connection.query('rollback'))
    connections.giveBack(own)
  } catch (err) {
    connections.discard(own, err as Error)
  }
}

/** Memory that can be given to another thread: a compressor's chunks share theirs. */
function ownMemory(chunk: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(chunk)
}
