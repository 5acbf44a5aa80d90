import { type Input, type RowRefusal, refused } from './import.ts'
import type { FileRecord } from './read-records.ts'
import { FIELDS } from './read-row.ts'

/** The fields of a row by name, or why it has none, and then as it came. */
export type ImportInput =
  | { input: Input; refusal: RowRefusal | null; original: null }
  | { input: null; refusal: RowRefusal; original: string | null }

const KNOWN = new Set<string>(FIELDS)
/** Every string of a JSON text, and whether it is a key. */
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/gs

const broken = (record: FileRecord, message: string, field: string | null = null): ImportInput => ({
  input: null,
  refusal: refused('invalid_field', field, message),
  original: originalOf(record)
})

/** As far as it can be shown: bytes that are no text are replaced. */
const originalOf = ({ bytes }: FileRecord) => bytes.toString('utf8').replaceAll('\0', '\ufffd')

/** Empty fields are left out: they say nothing. */
export function parseCsvInput(record: FileRecord, columns: string[]): ImportInput {
  if (record.fields === null) return broken(record, `The row ${record.problem}`)
  const { fields } = record
  if (fields.length !== columns.length) {
    return broken(record, `The row has ${fields.length} fields, and the header ${columns.length}`)
  }
  const given = columns.flatMap((column, i) => (fields[i]!.trim() === '' ? [] : [[column, fields[i]!]]))
  return { input: Object.fromEntries(given), refusal: null, original: null }
}

/** An object of texts and numbers. */
export function parseJsonInput(record: FileRecord): ImportInput {
  if (record.fields === null) return broken(record, `The line ${record.problem}`)
  const [text] = record.fields as [string]
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return broken(record, 'The line is no JSON')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return broken(record, 'The line is no JSON object')
  const entries = Object.entries(parsed)
  // Of a key that is there twice the parser has kept the last.
  if ([...text.matchAll(STRINGS)].filter(([, colon]) => colon).length > entries.length) {
    return broken(record, 'The line has a field twice, or an object in a field')
  }
  const input: Input = {}
  for (const [field, value] of entries) {
    if (!KNOWN.has(field))
      return broken(record, `There is no field ${JSON.stringify(field.toWellFormed().slice(0, 60))}`)
    if (value === null || value === '') continue
    const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)
    if ((typeof value !== 'string' && typeof value !== 'number') || !isExact) {
      return broken(record, `${field} takes a text, or a number below 2^53`, field)
    }
    const written = String(value)
    if (written.includes('\0') || !written.isWellFormed()) {
      return broken(record, `${field} holds a character that is no text`, field)
    }
    input[field] = written
  }
  return { input, refusal: null, original: null }
}
