import type { Socket } from 'node:net'
import pg from 'pg'

/** What the driver calls on the object that it is given as a query. */
type Wire = {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** So many bytes wait for the reader before the connection is paused. */
const AHEAD_BYTES = 1 << 20

/**
 * What both directions have: the end of the statement, and the number of rows that the server reports. As one of the driver's own queries it
 * may follow others on a connection that pipelines: it is over with the server's next sign that it is ready, as they are.
 */
class Copy extends (pg.Query as unknown as new (text: string) => object) {
  readonly text: string
  readonly ended = Promise.withResolvers<number>()
  rows = 0
  #failed = false

  constructor(text: string) {
    super(text)
    this.text = text
    // Whoever awaits the end gets the error; until then it must not end the process.
    this.ended.promise.catch(() => {})
  }

  submit(wire: Wire): null {
    wire.query(this.text)
    return null
  }
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
  handleCommandComplete({ text }: { text: string }): void {
    this.rows = Number(text.split(' ').at(-1))
  }
  handleError(err: Error): void {
    this.#failed = true
    this.ended.reject(err)
  }
  handleReadyForQuery(): void {
    if (!this.#failed) this.ended.resolve(this.rows)
  }
}

class CopyOut extends Copy {
  readonly #onRow: (row: Buffer) => void
  #wire: Wire | null = null
  #isPaused = false
  #isOver = false

  constructor(text: string, onRow: (row: Buffer) => void) {
    super(text)
    this.#onRow = onRow
  }

  override submit(wire: Wire): null {
    this.#wire = wire
    return super.submit(wire)
  }
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#onRow(chunk)
  }
  override handleError(err: Error): void {
    this.#end()
    super.handleError(err)
  }
  override handleReadyForQuery(): void {
    this.#end()
    super.handleReadyForQuery()
  }
  /** What follows on this connection is to be read, and a late pause would stop it. */
  #end(): void {
    this.resume()
    this.#isOver = true
  }
  pause(): void {
    if (this.#isPaused || this.#isOver) return
    this.#isPaused = true
    this.#wire?.stream.pause()
  }
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#wire?.stream.resume()
  }
}

/** A `copy … to stdout` that runs. While it is paused the server waits, once what is on its way has arrived. */
export type RunningCopy = Pick<CopyOut, 'pause' | 'resume'> & {
  /** The number of rows. */
  ended: Promise<number>
}

/**
 * Runs a `copy … to stdout`. `onRow` gets each row with the newline at its end, in memory that the next row overwrites; some more
 * rows arrive after a pause.
 */
export function copyRows(client: pg.Client, text: string, onRow: (row: Buffer) => void): RunningCopy {
  const copy = new CopyOut(text, onRow)
  client.query(copy as unknown as pg.Submittable)
  return { ended: copy.ended.promise, pause: () => copy.pause(), resume: () => copy.resume() }
}

/**
 * Runs a `copy … to stdout` and yields its rows in batches, each row with the newline at its end. The connection waits for the
 * reader, so memory stays flat.
 */
export async function* copyOut(client: pg.Client, text: string): AsyncGenerator<Buffer[]> {
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let wake = () => {}
  let isOver = false
  const copy = copyRows(client, text, (row) => {
    waiting.push(Buffer.from(row))
    waitingBytes += row.length
    if (waitingBytes > AHEAD_BYTES) copy.pause()
    wake()
  })
  const over = copy.ended.finally(() => {
    isOver = true
    wake()
  })
  over.catch(() => {})
  for (;;) {
    if (waiting.length > 0) {
      waitingBytes = 0
      copy.resume()
      yield waiting.splice(0)
      continue
    }
    if (isOver) break
    const next = Promise.withResolvers<void>()
    wake = next.resolve
    await next.promise
  }
  await over
}

class CopyIn extends Copy {
  readonly ready = Promise.withResolvers<Wire>()

  handleCopyInResponse(wire: Wire): void {
    this.ready.resolve(wire)
  }
  override handleError(err: Error): void {
    super.handleError(err)
    this.ready.reject(err)
  }
}

/** Runs a `copy … from stdin` with these bytes and returns the number of rows. An error of the source fails the statement. */
export async function copyIn(client: pg.Client, text: string, source: AsyncIterable<Buffer>): Promise<number> {
  const copy = new CopyIn(text)
  copy.ready.promise.catch(() => {})
  client.query(copy as unknown as pg.Submittable)
  const wire = await copy.ready.promise
  // The server may refuse a row long before the last one.
  const failed = copy.ended.promise.then(
    () => {},
    () => {}
  )
  let isOver = false
  void failed.then(() => {
    isOver = true
  })
  try {
    for await (const chunk of source) {
      if (isOver) break
      wire.sendCopyFromChunk(chunk)
      if (wire.stream.writableNeedDrain) {
        await Promise.race([new Promise((resolve) => wire.stream.once('drain', resolve)), failed])
      }
    }
  } catch (err) {
    wire.sendCopyFail('The source failed')
    await failed
    throw err
  }
  if (!isOver) wire.endCopyFrom()
  return copy.ended.promise
}
