import type { Socket } from 'node:net'
import type pg from 'pg'

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

/** What both directions have: the end of the statement, and the number of rows that the server reports. */
class Copy {
  readonly text: string
  readonly ended = Promise.withResolvers<number>()
  rows = 0
  #failed = false

  constructor(text: string) {
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
  readonly waiting: Buffer[] = []
  bytes = 0
  wake = () => {}
  #wire: Wire | null = null

  handleCopyData({ chunk }: { chunk: Buffer }, wire: Wire): void {
    this.#wire = wire
    // The driver reads the next message into the same memory.
    this.waiting.push(Buffer.from(chunk))
    this.bytes += chunk.length
    if (this.bytes > AHEAD_BYTES && !wire.stream.isPaused()) wire.stream.pause()
    this.wake()
  }
  take(): Buffer[] {
    this.bytes = 0
    this.#wire?.stream.resume()
    return this.waiting.splice(0)
  }
}

/**
 * Runs a `copy … to stdout` and yields its rows in batches, each row with the newline at its end. The connection waits for the
 * reader, so memory stays flat.
 */
export async function* copyOut(client: pg.Client, text: string): AsyncGenerator<Buffer[]> {
  const copy = new CopyOut(text)
  let isOver = false
  const over = copy.ended.promise.finally(() => {
    isOver = true
    copy.wake()
  })
  over.catch(() => {})
  client.query(copy as unknown as pg.Submittable)
  for (;;) {
    if (copy.waiting.length > 0) {
      yield copy.take()
      continue
    }
    if (isOver) break
    const next = Promise.withResolvers<void>()
    copy.wake = next.resolve
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
