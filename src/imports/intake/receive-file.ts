import { createHash } from 'node:crypto'
import type { Database } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { Import } from '../import.ts'
import { findImport, lockImport, markRunning } from '../queries.ts'
import { badHeader, fileMismatch, fileTooLarge, importAcceptsNoFile, wrongImportStatus } from '../refusals.ts'
import { requireImport } from '../show-import.ts'
import { columnsOf } from './columns-of.ts'
import { type ImportInput, parseCsvInput, parseJsonInput } from './parse-input.ts'
import { readCsvRecords, readLines } from './read-records.ts'
import { FIELDS } from './read-row.ts'
import { STAGING_BATCH, stageRows } from './stage-rows.ts'

const MAX_MEGABYTES = 512

type Upload = { format: 'csv' | 'ndjson'; stream: AsyncIterable<Buffer> }

/**
 * Reads a file into an import row by row, and starts processing when the whole file has arrived. If the connection breaks, the
 * client sends the same file again and the rows that are already staged are skipped. Refuses a different file and an invalid
 * header.
 */
export async function receiveFile(db: Database, storeId: number, id: number, upload: Upload): Promise<Import> {
  const existing = await db.inStore(storeId, (ctx) => requireImport(ctx, id))
  if (existing.source === 'platform') throw importAcceptsNoFile(id)
  if (existing.source !== upload.format) {
    const expected = existing.source === 'csv' ? 'text/csv' : 'application/x-ndjson'
    throw invalidField('Content-Type', `must be ${expected} for this import`)
  }
  const hash = createHash('sha256')
  const stream = hashed(upload.stream, hash)
  if (existing.status !== 'receiving') {
    for await (const _ of stream);
    if (hash.digest('hex') !== existing.fileSha256) throw wrongImportStatus(id, existing.status)
    return existing
  }
  await readInto(db, storeId, existing, upload.format, stream)
  return db.inStore(storeId, async (ctx) => {
    const current = (await lockImport(ctx, id))!
    if (current.status !== 'receiving') throw wrongImportStatus(id, current.status)
    const sha256 = hash.digest('hex')
    if (current.fileSha256 !== null && current.fileSha256 !== sha256) throw fileMismatch(id)
    await markRunning(ctx, id, sha256)
    return (await findImport(ctx, id))!
  })
}

async function* hashed(stream: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > MAX_MEGABYTES * 1024 * 1024) {
      throw fileTooLarge(MAX_MEGABYTES)
    }
    hash.update(chunk)
    yield chunk
  }
}

/** Stages the rows that are not staged yet. */
async function readInto(
  db: Database,
  storeId: number,
  existing: Import,
  format: 'csv' | 'ndjson',
  stream: AsyncIterable<Buffer>
): Promise<void> {
  const soFar = createHash('sha256')
  let columns: string[] | null = format === 'csv' ? null : [...FIELDS]
  let { linesRead } = existing
  let isSame = linesRead === 0
  let batch: (ImportInput & { line: number })[] = []

  const flush = async () => {
    const [rows, from] = [batch, linesRead]
    const last = rows.at(-1)
    if (!last) return
    const progress = { linesRead: last.line, stagedSha256: soFar.copy().digest('hex'), columns: columns! }
    await db.inStore(storeId, async (ctx) => {
      const current = await lockImport(ctx, existing.id)
      if (current?.status !== 'receiving') throw wrongImportStatus(existing.id, current?.status ?? 'gone')
      if (current.linesRead !== from) {
        throw new Refusal('conflict', 'Another request is sending this file at the same time')
      }
      await stageRows(ctx, existing.id, rows, progress)
    })
    linesRead = last.line
    batch = []
  }

  for await (const records of format === 'csv' ? readCsvRecords(stream) : readLines(stream)) {
    for (const record of records) {
      soFar.update(record.bytes).update('\n')
      if (columns === null) {
        columns = columnsOf(record, FIELDS)
        continue
      }
      if (record.line <= existing.linesRead) {
        isSame ||= record.line === existing.linesRead && soFar.copy().digest('hex') === existing.stagedSha256
        continue
      }
      if (!isSame) throw fileMismatch(existing.id)
      batch.push({ line: record.line, ...(format === 'csv' ? parseCsvInput(record, columns) : parseJsonInput(record)) })
      if (batch.length === STAGING_BATCH) await flush()
    }
  }
  if (columns === null) throw badHeader('is missing: the file is empty')
  if (!isSame) throw fileMismatch(existing.id)
  await flush()
}
