import { unescapeFormula } from '#kit/csv'
import { type Input, type RowRefusal, refused } from '../import.ts'
import type { FileRecord } from './read-records.ts'
import { FIELDS } from './read-row.ts'

/** The fields of a row by name, or why they cannot be read, with the row as received. */
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

/** The row as text that PostgreSQL can store: invalid bytes and NUL are replaced. */
const originalOf = ({ bytes }: FileRecord) => bytes.toString('utf8').replaceAll('\0', '\ufffd')

/** Reads a CSV record. Empty fields are left out; the apostrophe before a formula, as the report writes it, is taken away. */
export function parseCsvInput(record: FileRecord, columns: string[]): ImportInput {
  if (record.fields === null) return broken(record, `The row ${record.problem}`)
  const { fields } = record
  if (fields.length !== columns.length) {
    return broken(record, `The row has ${fields.length} fields; the header has ${columns.length}`)
  }
  const given = columns
    .map((column, i) => [column, unescapeFormula(fields[i]!)] as const)
    .filter(([, value]) => value.trim() !== '')
  return { input: Object.fromEntries(given), refusal: null, original: null }
}

/** Reads a line of NDJSON, which must be an object of strings and numbers, and have no other fields than the known ones. */
export function parseJsonInput(record: FileRecord, known: ReadonlySet<string> = KNOWN): ImportInput {
  if (record.fields === null) return broken(record, `The line ${record.problem}`)
  const [line] = record.fields as [string]
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return broken(record, 'The line is not JSON')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return broken(record, 'The line is not a JSON object')
  const entries = Object.entries(parsed)
  // JSON.parse keeps only the last of duplicate keys, so duplicates are found by counting keys in the text.
  if ([...line.matchAll(STRINGS)].filter(([, colon]) => colon).length > entries.length) {
    return broken(record, 'The line has a duplicate field, or a field whose value is an object')
  }
  const input: Input = {}
  for (const [field, value] of entries) {
    if (!known.has(field))
      return broken(record, `There is no field ${JSON.stringify(field.toWellFormed().slice(0, 60))}`)
    if (value === null || value === '') continue
    const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)
    if ((typeof value !== 'string' && typeof value !== 'number') || !isExact) {
      return broken(record, `${field} must be a string, or a number below 2^53`, field)
    }
    const text = String(value)
    if (text.includes('\0') || !text.isWellFormed()) {
      return broken(record, `${field} contains a NUL character or an unpaired surrogate`, field)
    }
    input[field] = text
  }
  return { input, refusal: null, original: null }
}
