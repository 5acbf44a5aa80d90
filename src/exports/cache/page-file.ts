import { createReadStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, type Readable, Transform } from 'node:stream'

const READ_BYTES = 256 * 1024

/**
 * The bytes of one page in a file that has no name, so that nothing of it is left when the process ends. It is closed when it was dropped and
 * nobody reads or writes it any more.
 */
export class PageFile {
  #handle: FileHandle | null = null
  #users = 0
  #isDropped = false
  #isWhole = false
  bytes = 0

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
      try {
        if (this.bytes + chunk.length > maxBytes) throw new Error('The page is larger than the cache keeps')
        this.#handle ??= await openUnnamed(folder)
        await this.#handle.writev([chunk], this.bytes)
        this.bytes += chunk.length
      } catch {
        // A full disk or a large page costs the copy only: whoever asked gets the page.
        isKept = false
      }
    }
    const copy = new Transform({
      transform(chunk: Buffer, _, done) {
        write(chunk).then(() => done(null, chunk), done)
      }
    })
    pipeline(source, copy, (err) => {
      this.#isWhole = !err && isKept && this.#handle !== null
      this.#leave()
      onEnd()
    })
    return copy
  }

  /** Everything, from the beginning. */
  read(): Readable {
    if (!this.isWhole || !this.#handle) throw new Error('The page is not whole')
    this.#users++
    const end = this.bytes - 1
    const stream = createReadStream('', {
      fd: this.#handle.fd,
      start: 0,
      end,
      autoClose: false,
      highWaterMark: READ_BYTES
    })
    stream.once('close', () => this.#leave())
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
    const handle = this.#handle
    this.#handle = null
    // Its bytes are gone with it, whatever the close says.
    handle?.close().catch(() => {})
  }
}

async function openUnnamed(folder: string): Promise<FileHandle> {
  const own = await mkdtemp(join(folder, 'perennial-page-'))
  try {
    return await open(join(own, 'page'), 'wx+', 0o600)
  } finally {
    await rm(own, { recursive: true })
  }
}
