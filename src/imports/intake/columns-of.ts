import { badHeader } from '../refusals.ts'
import type { FileRecord } from './read-records.ts'

/** The columns in the header. Refuses an unknown or repeated column, since every row would be wrong. */
export function columnsOf(record: FileRecord, known: readonly string[]): string[] {
  if (record.fields === null) throw badHeader(record.problem)
  const columns = record.fields.map((name) => name.trim().toLowerCase())
  const [separator] = columns.length === 1 ? (/[;\t|]/.exec(columns[0]!) ?? []) : []
  if (separator) throw badHeader(`is separated by ${JSON.stringify(separator)}; columns must be separated by commas`)
  for (const [i, name] of columns.entries()) {
    const shown = JSON.stringify(name.slice(0, 60))
    if (!known.includes(name)) {
      throw badHeader(`names ${shown}, which is not a column; the columns are ${known.join(', ')}`)
    }
    if (columns.indexOf(name) !== i) throw badHeader(`names ${shown} twice`)
  }
  return columns
}
