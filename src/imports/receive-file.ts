import { createHash } from 'node:crypto'
import type { Database } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { Import } from './import.ts'
import { type ImportInput, parseCsvInput, parseJsonInput } from './parse-input.ts'
import { findImport, lockImport, markRunning } from './queries.ts'
import { type FileRecord, readCsvRecords, readLines } from './read-records.ts'
import { FIELDS } from './read-row.ts'
import { badHeader, fileMismatch, importAcceptsNoFile, wrongImportStatus } from './refusals.ts'
import { requireImport } from './show-import.ts'
import { STAGED_AT_ONCE, stageRows } from './stage-rows.ts'

const MAX_MEGABYTES = 512

type Sent = { format: 'csv' | 'ndjson'; stream: AsyncIterable<Buffer> }

/**
 * Reads a file into an import, row by row, and sets the import going when all of it is there. After a connection that broke
 * off the same file is sent again: what has been read is passed over. Refuses another file, and a header that is none.
 */
export async function receiveFile(db: Database, storeId: number, id: number, sent: Sent): Promise<Import> {
  const begun = await db.inStore(storeId, (ctx) => requireImport(ctx, id))
  if (begun.source === 'platform') throw importAcceptsNoFile(id)
  if (begun.source !== sent.format) {
    throw invalidField('Content-Type', `takes ${begun.source === 'csv' ? 'text/csv' : 'application/x-ndjson'} here`)
  }
  const hash = createHash('sha256')
  const stream = hashed(sent.stream, hash)
  if (begun.status !== 'receiving') {
    for await (const _ of stream);
    if (hash.digest('hex') !== begun.fileSha256) throw wrongImportStatus(id, begun.status)
    return begun
  }
  await readInto(db, storeId, begun, sent.format, stream)
  return db.inStore(storeId, async (ctx) => {
    const now = (await lockImport(ctx, id))!
    if (now.status !== 'receiving') throw wrongImportStatus(id, now.status)
    const sha256 = hash.digest('hex')
    if (now.fileSha256 !== null && now.fileSha256 !== sha256) throw fileMismatch(id)
    await markRunning(ctx, id, sha256)
    return (await findImport(ctx, id))!
  })
}

async function* hashed(stream: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > MAX_MEGABYTES * 1024 * 1024) {
      throw new Refusal('invalid_request', `The file is larger than ${MAX_MEGABYTES} MiB; send it in parts`)
    }
    hash.update(chunk)
    yield chunk
  }
}

/** Stages what is not staged yet. */
async function readInto(
  db: Database,
  storeId: number,
  begun: Import,
  format: 'csv' | 'ndjson',
  stream: AsyncIterable<Buffer>
): Promise<void> {
  const soFar = createHash('sha256')
  let columns: string[] | null = format === 'csv' ? null : [...FIELDS]
  let { linesRead } = begun
  let isSame = linesRead === 0
  let batch: (ImportInput & { line: number })[] = []

  const flush = async () => {
    const [rows, from] = [batch, linesRead]
    const last = rows.at(-1)
    if (!last) return
    const progress = { linesRead: last.line, stagedSha256: soFar.copy().digest('hex'), columns: columns! }
    await db.inStore(storeId, async (ctx) => {
      const now = await lockImport(ctx, begun.id)
      if (now?.status !== 'receiving') throw wrongImportStatus(begun.id, now?.status ?? 'gone')
      if (now.linesRead !== from) throw new Refusal('conflict', 'The file is being sent by somebody else too')
      await stageRows(ctx, begun.id, rows, progress)
    })
    linesRead = last.line
    batch = []
  }

  for await (const records of format === 'csv' ? readCsvRecords(stream) : readLines(stream)) {
    for (const record of records) {
      soFar.update(record.bytes).update('\n')
      if (columns === null) {
        columns = columnsOf(record)
        continue
      }
      if (record.line <= begun.linesRead) {
        isSame ||= record.line === begun.linesRead && soFar.copy().digest('hex') === begun.stagedSha256
        continue
      }
      if (!isSame) throw fileMismatch(begun.id)
      batch.push({ line: record.line, ...(format === 'csv' ? parseCsvInput(record, columns) : parseJsonInput(record)) })
      if (batch.length === STAGED_AT_ONCE) await flush()
    }
  }
  if (columns === null) throw badHeader('is missing: the file is empty')
  if (!isSame) throw fileMismatch(begun.id)
  await flush()
}

/** The columns that the first row names. One that is unknown, or there twice, is a mistake in every row. */
function columnsOf(record: FileRecord): string[] {
  if (record.fields === null) throw badHeader(record.problem)
  const columns = record.fields.map((name) => name.trim().toLowerCase())
  const [separator] = columns.length === 1 ? (/[;\t|]/.exec(columns[0]!) ?? []) : []
  if (separator) throw badHeader(`is separated by ${JSON.stringify(separator)}: a file takes commas`)
  for (const [i, name] of columns.entries()) {
    const shown = JSON.stringify(name.slice(0, 60))
    if (!(FIELDS as readonly string[]).includes(name)) {
      throw badHeader(`names ${shown}, which is no column; there are ${FIELDS.join(', ')}`)
    }
    if (columns.indexOf(name) !== i) throw badHeader(`names ${shown} twice`)
  }
  return columns
}
