import type { Fields } from './fields.ts'

/** A page of a list. `after` leads to the next one; null on the last. */
export type Page<T> = { items: T[]; after: string | null }

/** A page of a connection. */
export function readPage<T>(connection: Fields, read: (node: Fields) => T): Page<T> {
  return { items: connection.list('nodes').map(read), after: nextCursor(connection) }
}

/** The cursor that leads to a connection's next page; null on the last. */
export function nextCursor(connection: Fields): string | null {
  const pageInfo = connection.at('pageInfo')
  return pageInfo.flag('hasNextPage') ? pageInfo.text('endCursor') : null
}

/** The platform's search syntax for a time and later. The search knows whole seconds only. */
export function sinceQuery(field: string, since: Temporal.Instant): string {
  return `${field}:>='${wholeSeconds(since)}'`
}

/** A time without the fraction of its second, as the platform stores it. */
export function wholeSeconds(at: Temporal.Instant): string {
  return at.round({ smallestUnit: 'second', roundingMode: 'floor' }).toString()
}
