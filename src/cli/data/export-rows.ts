import { createHash } from 'node:crypto'
import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataSource } from './data-source.ts'
import { type DataEndpoint, type Filters, filtersOf, otherFields, type Row } from './endpoint.ts'
import type { ExportProgress, Reached } from './export-progress.ts'
import { openPart, type PartFile } from './part-file.ts'
import { firstPlace, readPage, readPages } from './read-pages.ts'
import { writeCsv } from './write-csv.ts'
import { writeParquet } from './write-parquet.ts'

export const FORMATS = ['csv', 'ndjson', 'parquet'] as const
export type ExportFormat = (typeof FORMATS)[number]

export type Exported = { endpoint: string; file: string; rows: number; bytes: number }

type ExportOptions = {
  source: DataSource
  endpoint: DataEndpoint
  filters: Filters
  folder: string
  format: ExportFormat
  progress: ExportProgress
  /** Called after each page with what is on disk. */
  step: (reached: { rows: number; bytes: number }) => void
  say: (line: string) => void
}

/**
 * Writes all rows of an endpoint to a file of the folder. Pages are first added to a part file; each is on disk before its place in the
 * list is, so that a later run goes on behind the last whole page. The file appears when it is complete, and replaces an older one.
 */
export async function exportRows(options: ExportOptions): Promise<Exported> {
  const { endpoint, folder, format, progress } = options
  const file = join(folder, `${endpoint.name}.${format}`)
  const part = join(folder, `${endpoint.name}.part`)
  let reached = progress.find(endpoint.name)
  if (reached?.state !== 'written') {
    reached = await readAll(options, part)
    await write(options, part, file, reached)
    reached = { ...reached, state: 'written' }
    await progress.save(endpoint.name, reached)
    await rm(part, { force: true })
  }
  return { endpoint: endpoint.name, file, rows: reached.rows, bytes: (await stat(file)).size }
}

async function readAll(options: ExportOptions, part: string): Promise<Reached> {
  const { source, endpoint, filters, progress, step } = options
  const { file, reached: start } = await continued(options, part)
  let reached = start
  try {
    if (reached.state === 'read') return reached
    for await (const page of readPages(source, endpoint, filtersOf(endpoint, filters), reached.next)) {
      reached = {
        next: page.next,
        bytes: await file.append(page.data),
        rows: reached.rows + page.data.length,
        lastPage: hashOf(page.data),
        others: otherFields(endpoint, page.data, reached.others),
        state: page.isLast ? 'read' : 'reading'
      }
      await progress.save(endpoint.name, reached)
      step(reached)
    }
    return reached
  } finally {
    await file.close()
  }
}

/** The part file where the last run left it, or a new one. */
async function continued(options: ExportOptions, part: string): Promise<{ file: PartFile; reached: Reached }> {
  const { endpoint, progress, say } = options
  const before = progress.find(endpoint.name)
  if (before && (await isInPlace(options, before))) {
    const file = await openPart(part, before.bytes)
    if (file) {
      say(`${endpoint.name}: goes on after ${before.rows} rows`)
      return { file, reached: before }
    }
  }
  if (before) say(`${endpoint.name}: begins again, because its list or its file has changed since`)
  const file = await openPart(part, 0)
  const reached = {
    next: firstPlace(endpoint),
    bytes: 0,
    rows: 0,
    lastPage: null,
    others: [],
    state: 'reading'
  } as const
  return { file: file!, reached: { ...reached, others: [] } }
}

/** Whether a list by page numbers still has the rows of the last page where they were. A cursor stays where it is. */
async function isInPlace({ source, endpoint, filters }: ExportOptions, before: Reached): Promise<boolean> {
  if (endpoint.paging === 'cursor' || before.state === 'read') return true
  const { data } = await readPage(source, endpoint, filtersOf(endpoint, filters), before.next - 1)
  return hashOf(data) === before.lastPage
}

const hashOf = (rows: readonly Row[]): string => createHash('sha256').update(JSON.stringify(rows)).digest('base64url')

async function write(
  { endpoint, format }: ExportOptions,
  part: string,
  file: string,
  { others }: Reached
): Promise<void> {
  const fields = [...endpoint.fields, ...others.map((name) => ({ name, format: 'text' as const }))]
  const unfinished = `${file}.new`
  if (format === 'ndjson') return await rename(part, file)
  if (format === 'csv')
    await writeCsv(
      part,
      unfinished,
      fields.map(({ name }) => name)
    )
  else await writeParquet(part, unfinished, fields)
  await rename(unfinished, file)
}
