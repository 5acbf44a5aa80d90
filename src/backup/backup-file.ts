import { randomBytes } from 'node:crypto'
import { createReadStream, existsSync, openSync, statSync } from 'node:fs'
import { type FileHandle, link, open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { Refusal } from '#kit/refusal'

/** What a backup says of itself, before its rows. */
export type Header = {
  format: typeof FORMAT
  formatVersion: number
  /** The version of the service that wrote it. */
  service: string
  /** The newest migration of each set: `{ perennial: '0023-stores-restored.sql', … }`. */
  schema: Record<string, string>
  createdAt: string
  /**
   * Recognises the master key under which the secrets in it are encrypted, and says nothing else about it. Null: it was not
   * known.
   */
  masterKeyHint: string | null
  hasSandbox: boolean
}

/** A table before its rows. A partition names its parent and its bounds. */
export type TableStart = {
  schema: string
  name: string
  columns: string[]
  partitionOf: { parent: string; bounds: string } | null
}

/** The rows of a table: how many, and their checksum (`RowChecksum`). */
export type TableEnd = { rows: number; checksum: string }

export type SequenceValue = { schema: string; name: string; value: string; isCalled: boolean }

/** The last thing in a backup: a file without it is not complete. */
export type Manifest = { tables: (TableEnd & { schema: string; name: string })[]; sequences: SequenceValue[] }

/** A backup is a sequence of these, in this order: a header, then tables with their rows, then the manifest. */
export type Part =
  | { kind: 'header'; header: Header }
  | { kind: 'table'; table: TableStart }
  /** Whole rows in the text format of COPY, each with its newline. */
  | { kind: 'rows'; bytes: Buffer }
  | { kind: 'end'; end: TableEnd }
  | { kind: 'manifest'; manifest: Manifest }

export const FORMAT = 'perennial-backup'
export const FORMAT_VERSION = 1

/** In the file each part is one byte for its kind, four for the length, and its content: JSON, or rows. */
const LETTERS = { header: 'H', table: 'T', rows: 'R', end: 'E', manifest: 'M' } as const
const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter as string, kind as Part['kind']]))
const PREFIX_BYTES = 5
/** PostgreSQL's own limit for a row. */
const MAX_PART_BYTES = 2 ** 30

/**
 * Creates a file for `writeBackupFile`, as who calls: for a folder into which the user who writes it may not write. Refuses a name
 * that is taken, but for the empty file of a backup that failed.
 */
export async function createBackupFile(path: string): Promise<FileHandle> {
  const isEmpty = statSync(path, { throwIfNoEntry: false })?.size === 0
  return open(path, isEmpty ? 'r+' : 'wx', 0o600).catch((err: NodeJS.ErrnoException) => {
    throw notWritten(path, err.code === 'EEXIST' ? 'it exists already' : err.message)
  })
}

const notWritten = (path: string, why: string) => new Refusal('invalid_request', `${path} cannot be written: ${why}`)

/**
 * Writes a compressed backup. The file appears under its name when it is complete and on disk, readable by its owner only.
 * Refuses a name that is taken. With `created` the file is there from the beginning, and empty if the backup fails.
 */
export async function writeBackupFile(
  path: string,
  parts: AsyncIterable<Part>,
  created?: FileHandle
): Promise<{ bytes: number }> {
  if (created) return fillBackupFile(created, parts)
  const refuse = (why: string) => notWritten(path, why)
  if (existsSync(path)) throw refuse('it exists already')
  const draft = `${path}.${randomBytes(4).toString('hex')}.partial`
  const file = await open(draft, 'wx', 0o600).catch((err: Error) => {
    throw refuse(err.message)
  })
  try {
    const output = file.createWriteStream({ flush: true })
    await pipeline(Readable.from(frames(parts), { objectMode: false }), createGzip(), output)
    // Unlike a rename, a link replaces no file.
    await link(draft, path).catch((err: NodeJS.ErrnoException) => {
      throw refuse(err.code === 'EEXIST' ? 'it exists already' : err.message)
    })
    return { bytes: output.bytesWritten }
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
}

async function fillBackupFile(file: FileHandle, parts: AsyncIterable<Part>): Promise<{ bytes: number }> {
  try {
    // A stream of the file would close it, and it could not be emptied any more.
    await pipeline(Readable.from(frames(parts), { objectMode: false }), createGzip(), (chunks) =>
      file.writeFile(chunks)
    )
    await file.sync()
    return { bytes: (await file.stat()).size }
  } catch (err) {
    await file.truncate()
    throw err
  } finally {
    await file.close()
  }
}

async function* frames(parts: AsyncIterable<Part>): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    const content = part.kind === 'rows' ? part.bytes : Buffer.from(JSON.stringify(contentOf(part)))
    const prefix = Buffer.alloc(PREFIX_BYTES, LETTERS[part.kind])
    prefix.writeUInt32BE(content.length, 1)
    yield prefix
    if (content.length > 0) yield content
  }
}

function contentOf(part: Exclude<Part, { kind: 'rows' }>): object {
  if (part.kind === 'header') return part.header
  if (part.kind === 'table') return part.table
  return part.kind === 'end' ? part.end : part.manifest
}

/** Opens a backup for `readBackupFile`, which closes it. */
export function openBackupFile(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (err) {
    throw damaged(path, reasonOf(err as NodeJS.ErrnoException))
  }
}

/** Reads the parts of a backup. Refuses a file that is none, is damaged or is cut off, when it gets there. */
export async function* readBackupFile(path: string, fd?: number): AsyncGenerator<Part> {
  const source = createReadStream(path, { fd })
  const unzipped = source.pipe(createGunzip())
  source.on('error', (err) => unzipped.destroy(err))
  const bytes = byteReader(unzipped)
  let isComplete = false
  try {
    for (;;) {
      const prefix = await bytes.take(PREFIX_BYTES)
      if (prefix === null) break
      const kind = KINDS.get(String.fromCharCode(prefix[0]!))
      const length = prefix.readUInt32BE(1)
      if (kind === undefined || length > MAX_PART_BYTES) throw damaged(path, 'it is not a backup of Perennial')
      const content = length === 0 ? Buffer.alloc(0) : await bytes.take(length)
      if (content === null) throw damaged(path, 'it is cut off')
      isComplete = kind === 'manifest'
      yield kind === 'rows' ? { kind, bytes: content } : partOf(kind, JSON.parse(content.toString()))
    }
  } catch (err) {
    throw err instanceof Refusal ? err : damaged(path, reasonOf(err as NodeJS.ErrnoException))
  } finally {
    source.destroy()
    unzipped.destroy()
  }
  if (!isComplete) throw damaged(path, 'it is cut off')
}

function partOf(kind: Exclude<Part['kind'], 'rows'>, content: unknown): Part {
  if (kind === 'header') return { kind, header: content as Header }
  if (kind === 'table') return { kind, table: content as TableStart }
  return kind === 'end' ? { kind, end: content as TableEnd } : { kind, manifest: content as Manifest }
}

const damaged = (path: string, why: string) => new Refusal('invalid_request', `${path} cannot be read: ${why}`)

function reasonOf(err: NodeJS.ErrnoException): string {
  if (err.code === 'ENOENT') return 'there is no such file'
  if (err.code === 'Z_BUF_ERROR') return 'it is cut off'
  if (err.code === 'Z_DATA_ERROR') return 'it is damaged, or not a backup of Perennial'
  return err.message
}

/** Takes exactly so many bytes at a time from a stream; null at its end. */
function byteReader(stream: AsyncIterable<Buffer>) {
  const chunks = stream[Symbol.asyncIterator]()
  const held: Buffer[] = []
  let length = 0
  return {
    async take(wanted: number): Promise<Buffer | null> {
      while (length < wanted) {
        const next = await chunks.next()
        if (next.done) {
          if (length > 0) throw new Refusal('invalid_request', 'The backup is cut off')
          return null
        }
        held.push(next.value)
        length += next.value.length
      }
      const all = held.length === 1 ? held[0]! : Buffer.concat(held)
      held.length = 0
      if (all.length > wanted) held.push(all.subarray(wanted))
      length = all.length - wanted
      return all.subarray(0, wanted)
    }
  }
}
