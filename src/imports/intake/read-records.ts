import { isUtf8 } from 'node:buffer'

/** One row of a file: its fields, or its problem. `bytes` is the whole row without its line end. */
export type FileRecord = { line: number; bytes: Buffer; fields: string[]; problem: null } | Broken
type Broken = { line: number; bytes: Buffer; fields: null; problem: string }

/** Splits the text of a row into fields; null when its quotes do not match. */
type Split = (text: string) => string[] | null

const MAX_RECORD_BYTES = 64 * 1024
const NEWLINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * The rows of a CSV file (RFC 4180), in batches as they arrive. A row that cannot be read does not affect the others: if its
 * quotes do not match, only its first line is reported as broken and reading continues with the next line. Empty lines are
 * skipped.
 */
export const readCsvRecords = (stream: AsyncIterable<Buffer>) => recordsIn(stream, true, fieldsOf)

/** The lines of an NDJSON file, each as a record with one field. */
export const readLines = (stream: AsyncIterable<Buffer>) => recordsIn(stream, false, (text) => [text])

async function* recordsIn(stream: AsyncIterable<Buffer>, quoted: boolean, split: Split): AsyncGenerator<FileRecord[]> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  let isFirst = true
  /** Whether the rest of a line that is too long is being skipped. */
  let skipping = false

  /** Removes the complete records from the front of `rest` and returns them. */
  const take = (isEnd: boolean): FileRecord[] => {
    const records: FileRecord[] = []
    let from = 0
    while (from < rest.length) {
      if (skipping) {
        const end = rest.indexOf(NEWLINE, from)
        if (end < 0) {
          from = rest.length
          break
        }
        skipping = false
        from = end + 1
        line++
        continue
      }
      const found = endOf(rest, from, quoted, isEnd)
      if (found === null) break
      const firstLineEnd = lineEnd(rest, from)
      const whole = withoutReturn(rest.subarray(from, found.end))
      if (found.kind === 'too long') {
        records.push(brokenAt(line, whole.subarray(0, 200), `is longer than ${MAX_RECORD_BYTES / 1024} KiB`))
        skipping = true
        from = found.end
        continue
      }
      const record = found.kind === 'whole' ? recordOf(line, whole, split) : null
      if (record === null) {
        records.push(brokenAt(line, withoutReturn(rest.subarray(from, firstLineEnd)), 'has quotes that do not match'))
        from = firstLineEnd + 1
        line++
        continue
      }
      if (whole.length > 0) records.push(record)
      line += 1 + newlinesIn(whole)
      from = found.end + 1
    }
    rest = rest.subarray(Math.min(from, rest.length))
    return records
  }

  for await (const chunk of stream) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    if (isFirst) {
      if (rest.length < BOM.length) continue
      if (rest.subarray(0, BOM.length).equals(BOM)) rest = rest.subarray(BOM.length)
      isFirst = false
    }
    const records = take(false)
    if (records.length > 0) yield records
  }
  const records = take(true)
  if (records.length > 0) yield records
}

type Found = { kind: 'whole' | 'open quote' | 'too long'; end: number }

/** Where the record that begins at `from` ends; null when more of the file is needed to decide. */
function endOf(bytes: Buffer, from: number, quoted: boolean, isEnd: boolean): Found | null {
  const limit = Math.min(bytes.length, from + MAX_RECORD_BYTES + 1)
  let at = from
  let isOpen = false
  for (; at < limit; at++) {
    const byte = bytes[at]
    if (byte === QUOTE && quoted) isOpen = !isOpen
    else if (byte === NEWLINE && !isOpen) return { kind: 'whole', end: at }
  }
  if (at - from > MAX_RECORD_BYTES) {
    // An unclosed quote spans many lines, of which only the first is broken.
    return lineEnd(bytes, from) < at ? { kind: 'open quote', end: at } : { kind: 'too long', end: at }
  }
  if (!isEnd) return null
  return { kind: isOpen ? 'open quote' : 'whole', end: at }
}

function lineEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(NEWLINE, from)
  return end < 0 ? bytes.length : end
}

function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes
}

function newlinesIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

const brokenAt = (line: number, bytes: Buffer, problem: string): Broken => ({ line, bytes, fields: null, problem })

/** Null when its quotes do not match. */
function recordOf(line: number, bytes: Buffer, split: Split): FileRecord | null {
  if (!isUtf8(bytes)) return brokenAt(line, bytes, 'is not UTF-8')
  const text = bytes.toString('utf8')
  if (text.includes('\0')) return brokenAt(line, bytes, 'contains a NUL character')
  const fields = split(text)
  return fields && { line, bytes, fields, problem: null }
}

/** Splits at commas. A quoted field may contain commas, line ends and doubled quotes; any other quote is an error: null. */
function fieldsOf(text: string): string[] | null {
  if (!text.includes('"')) return text.split(',')
  const fields: string[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/gsy
  for (;;) {
    const found = field.exec(text)
    if (!found) return null
    const [, inQuotes, plain, delimiter] = found
    fields.push(inQuotes === undefined ? plain! : inQuotes.replaceAll('""', '"'))
    if (delimiter === '') return fields
  }
}
