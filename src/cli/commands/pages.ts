import type { Document } from '../admin-api.ts'
import { optional, wholeNumber } from '../flags.ts'
import { lines, table } from '../print.ts'

/** The flags of a list that is read by position. */
export const offsetPaging = {
  limit: optional('--limit <n>', { ...wholeNumber(1, 100), accepts: 'number of entries, from 1 to 100 (default: 50)' }),
  offset: optional('--offset <n>', { ...wholeNumber(0, 1_000_000_000), accepts: 'number of entries to skip' })
}

/** The parameters of a request, without those that were not given. */
export function queryOf(given: Record<string, unknown>): string {
  const known = Object.entries(given).filter(([, value]) => value !== undefined)
  return new URLSearchParams(known.map(([name, value]) => [name, String(value)])).toString()
}

/** A page of a list with a total, and how to get the next one. */
export function pageTable(columns: string[], none: string) {
  const rows = table(columns, none)
  return (document: Document, { offset = 0 }: { offset?: number }): string => {
    const { data, total } = document as { data: Document[]; total: number }
    const end = offset + data.length
    if (data.length === 0) return total > 0 ? `There are ${total}, none of them after ${offset}.\n` : rows(document)
    const next = end < total ? `; for the next page add --offset ${end}` : ''
    return rows(document) + lines(['', `${offset + 1} to ${end} of ${total}${next}`])
  }
}
