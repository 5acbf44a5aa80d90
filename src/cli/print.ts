import type { Document } from './admin-api.ts'

/** One `name  value` line per field, `gift.receiver_id` for nested fields; each object of a list gets its own line. */
export function facts(document: Document): string {
  const all = fieldsOf(document)
  const width = Math.max(...all.map(([name]) => name.length))
  return lines(all.map(([name, value]) => `${name.padEnd(width)}  ${value}`))
}

function fieldsOf(document: Document): [name: string, value: string][] {
  return Object.entries(document).flatMap(([name, value]): [string, string][] => {
    if (isObject(value)) return fieldsOf(value).map(([inner, of]) => [`${name}.${inner}`, of])
    if (!Array.isArray(value) || !value.some(isObject)) return [[name, shown(value)]]
    return value.map((one, i) => [i === 0 ? name : '', isObject(one) ? inOneLine(one) : shown(one)])
  })
}

const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

const inOneLine = (object: Document) =>
  fieldsOf(object)
    .map(([name, value]) => `${name} ${value}`.trim())
    .join(', ')

/** The rows of a document's `data` as a table; `none` is printed when there are none. */
export function table(columns: string[], none: string): (document: Document) => string {
  return ({ data }) => {
    const rows = data as Document[]
    if (rows.length === 0) return `${none}\n`
    const cells = [columns.map(titled), ...rows.map((row) => columns.map((column) => shown(row[column])))]
    const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]!.length)))
    return lines(
      cells.map((line) =>
        line
          .map((cell, i) => cell.padEnd(widths[i]!))
          .join('  ')
          .trimEnd()
      )
    )
  }
}

export function lines(all: string[]): string {
  return all.map((line) => `${line}\n`).join('')
}

const titled = (column: string) => column.replaceAll('_', ' ').toUpperCase()

function shown(value: unknown): string {
  const text =
    value === null || value === undefined
      ? '-'
      : Array.isArray(value)
        ? value.map(shown).join(', ') || '-'
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value)
  return harmless(text)
}

/** What would move or reorder what is printed around it: control characters, other ends of lines, marks of writing direction. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * A text as it may reach a terminal: names from the platform may contain anything. Unprintable characters are shown as JSON writes them,
 * `\n` and `\u202e`.
 */
export function harmless(text: string): string {
  return text.replace(UNPRINTABLE, (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
