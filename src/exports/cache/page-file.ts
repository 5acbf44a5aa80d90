import { close, createReadStream, open, read, write } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, type Readable, Transform } from 'node:stream'
import { promisify } from 'node:util'

const [openFile, writeTo] = [promisify(open), promisify(write)]

const READ_BYTES = 256 * 1024
const STALLED_MS = 15_000

/**
 * For streams that share an open file. A stream that is destroyed closes its file, whatever its options say; its number then soon means another
 * file.
 */
const NEVER_CLOSING = { read, close: (_: number, done: (err: null) => void) => done(null) }

/**
 * The bytes of one page in a file that has no name, so that nothing of it is left when the process ends. It is closed when it was dropped and
 * nobody reads or writes it any more.
 */
export class PageFile {
  /** The number of the open file: an object of Node's would end the process if it were ever forgotten. */
  #fd: number | null = null
  #users = 0
  #isDropped = false
  #isWhole = false
  readonly #stalledMs: number
  bytes = 0

  /** `stalledMs`: how long one of its readers may take nothing; 15 seconds when left out. */
  constructor({ stalledMs = STALLED_MS } = {}) {
    this.#stalledMs = stalledMs
  }

  /** Whether everything is in it, to be read. */
  get isWhole(): boolean {
    return this.#isWhole && !this.#isDropped
  }

  /**
   * Passes on what comes from `source`, and keeps it. Where it becomes larger than `maxBytes`, or cannot be written, `onEnd` is told that it is
   * not whole, and the bytes are passed on all the same.
   */
  keep(source: Readable, options: { folder: string; maxBytes: number; onEnd: () => void }): Readable {
    const { folder, maxBytes, onEnd } = options
    this.#users++
    let isKept = true
    const write = async (chunk: Buffer) => {
      if (!isKept || this.#isDropped) return
      // Who asked may leave meanwhile: the file is closed when this is written.
      this.#users++
      try {
        if (this.bytes + chunk.length > maxBytes) throw new Error('The page is larger than the cache keeps')
        this.#fd ??= await openUnnamed(folder)
        await writeWhole(this.#fd, chunk, this.bytes)
        this.bytes += chunk.length
      } catch {
        // A full disk or a large page costs the copy only: whoever asked gets the page.
        isKept = false
      } finally {
        this.#leave()
      }
    }
    const copy = new Transform({
      transform(chunk: Buffer, _, done) {
        write(chunk).then(() => done(null, chunk), done)
      }
    })
    pipeline(source, copy, (err) => {
      this.#isWhole = !err && isKept && this.#fd !== null
      this.#leave()
      onEnd()
    })
    return copy
  }

  /** Everything, from the beginning. */
  read(): Readable {
    if (!this.isWhole || this.#fd === null) throw new Error('The page is not whole')
    this.#users++
    const end = this.bytes - 1
    const stream = createReadStream('', { fd: this.#fd, start: 0, end, highWaterMark: READ_BYTES, fs: NEVER_CLOSING })
    let takenBytes = 0
    const timer = setInterval(() => {
      if (stream.bytesRead === takenBytes) stream.destroy(new Error('The reader of the page takes nothing'))
      takenBytes = stream.bytesRead
    }, this.#stalledMs)
    // Whoever reads it gets the error; without a listener it would end the process.
    stream.on('error', () => {})
    stream.once('close', () => {
      clearInterval(timer)
      this.#leave()
    })
    return stream
  }

  drop(): void {
    this.#isDropped = true
    this.#closeUnused()
  }

  #leave(): void {
    this.#users--
    this.#closeUnused()
  }

  #closeUnused(): void {
    if (!this.#isDropped || this.#users > 0) return
    if (this.#fd === null) return
    // Its bytes are gone with it, whatever the close says.
    close(this.#fd, () => {})
    this.#fd = null
  }
}

async function writeWhole(fd: number, chunk: Buffer, position: number): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await writeTo(fd, chunk, written, chunk.length - written, position + written)
    written += bytesWritten
  }
}

async function openUnnamed(folder: string): Promise<number> {
  const own = await mkdtemp(join(folder, 'perennial-page-'))
  try {
    return await openFile(join(own, 'page'), 'wx+', 0o600)
  } finally {
    await rm(own, { recursive: true })
  }
}
