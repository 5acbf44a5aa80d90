import type { Fields } from './fields.ts'
import type { Listed } from './shapes.ts'

/** A page of a connection. */
export function readListed<T>(connection: Fields, read: (node: Fields) => T): Listed<T> {
  const pageInfo = connection.at('pageInfo')
  return {
    items: connection.list('nodes').map(read),
    after: pageInfo.flag('hasNextPage') ? pageInfo.text('endCursor') : null
  }
}

/** The platform's search syntax for a time and later; it keeps whole seconds. */
export function sinceQuery(field: string, since: Temporal.Instant): string {
  return `${field}:>='${since.round({ smallestUnit: 'second', roundingMode: 'floor' })}'`
}
