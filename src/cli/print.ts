import type { Document } from './operator-api.ts'

/** One `name  value` line per field. */
export function facts(document: Document): string {
  const width = Math.max(...Object.keys(document).map((name) => name.length))
  return lines(Object.entries(document).map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`))
}

/** The rows of an answer's `data`, in columns; `none` says that there are none. */
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

/** Control characters, which a name on the platform may hold, must not reach the terminal. */
function shown(value: unknown): string {
  const text =
    value === null || value === undefined
      ? '-'
      : Array.isArray(value)
        ? value.map(shown).join(', ')
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value)
  return harmless(text)
}

export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?')
}
