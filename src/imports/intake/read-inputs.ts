import type { Input, RowRefusal } from '../import.ts'
import { badHeader } from '../refusals.ts'
import { columnsOf } from './columns-of.ts'
import { parseCsvInput, parseJsonInput } from './parse-input.ts'
import { type FileRecord, readCsvRecords, readLines } from './read-records.ts'

/** A file of rows as it arrives. */
export type RowsFile = { format: 'csv' | 'ndjson'; stream: AsyncIterable<Buffer> }

/** A row of a file: its fields as texts, or why it has none. */
export type InputLine = { line: number } & ({ input: Input; refusal: null } | { input: null; refusal: RowRefusal })

/** Reads a file with these columns, so many rows at a time. Refuses an invalid header; a row that is wrong is one of the others. */
export async function* readInputs(
  { format, stream }: RowsFile,
  fields: readonly string[],
  batch: number
): AsyncGenerator<InputLine[]> {
  const known = new Set(fields)
  let columns: string[] | null = format === 'csv' ? null : [...fields]
  let lines: InputLine[] = []
  const parsed = (record: FileRecord, names: string[]): InputLine => {
    const { line } = record
    const read = format === 'csv' ? parseCsvInput(record, names) : parseJsonInput(record, known)
    return read.input === null
      ? { line, input: null, refusal: read.refusal }
      : { line, input: read.input, refusal: null }
  }
  for await (const records of format === 'csv' ? readCsvRecords(stream) : readLines(stream)) {
    for (const record of records) {
      if (columns === null) columns = columnsOf(record, fields)
      else lines.push(parsed(record, columns))
      if (lines.length < batch) continue
      yield lines
      lines = []
    }
  }
  if (columns === null) throw badHeader('is missing: the file is empty')
  if (lines.length > 0) yield lines
}
