import { GraphQLError } from 'graphql'

export type PageArgs = {
  first?: number | null
  last?: number | null
  after?: string | null
  before?: string | null
  reverse?: boolean | null
}
export type Connection<T> = {
  edges: { cursor: string; node: T }[]
  nodes: T[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
}

export function badPage(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })
}

/** The size and direction of a page. A request must have `first` or `last`, at most 250. */
export function pageSize(args: PageArgs): { size: number; fromEnd: boolean } {
  const given = args.first ?? args.last
  if (given === null || given === undefined) throw badPage('you must provide one of first or last')
  if (args.first != null && args.last != null) throw badPage('providing both first and last is not supported')
  if (given < 0 || given > 250) throw badPage(`${args.first != null ? 'first' : 'last'} must be between 0 and 250`)
  return { size: given, fromEnd: args.first == null }
}

/** A cursor, opaque to clients: the last id and the value that the list is sorted by. */
export function cursorOf(id: string, value: string = id): string {
  return Buffer.from(JSON.stringify({ last_id: id, last_value: value })).toString('base64')
}

export function positionOf(cursor: string): { id: string; value: string } {
  try {
    const { last_id: id, last_value: value } = JSON.parse(Buffer.from(cursor, 'base64').toString())
    if (typeof id === 'string' && typeof value === 'string') return { id, value }
  } catch {
    // Falls through: not a valid cursor.
  }
  throw badPage('Invalid cursor for current pagination sort.')
}

export function connectionOf<T>(
  nodes: T[],
  cursors: string[],
  more: { next: boolean; previous: boolean }
): Connection<T> {
  return {
    nodes,
    edges: nodes.map((node, i) => ({ node, cursor: cursors[i]! })),
    pageInfo: {
      hasNextPage: more.next,
      hasPreviousPage: more.previous,
      startCursor: cursors[0] ?? null,
      endCursor: cursors.at(-1) ?? null
    }
  }
}

/** A page of a list that is completely in memory. */
export function pageOf<T extends { id: string }>(all: T[], args: PageArgs): Connection<T> {
  const { size, fromEnd } = pageSize(args)
  const list = args.reverse ? all.toReversed() : all
  const indexOf = (cursor: string) => list.findIndex((node) => node.id === positionOf(cursor).id)
  const start = args.after ? indexOf(args.after) + 1 : 0
  const before = args.before ? indexOf(args.before) : -1
  const end = before === -1 ? list.length : before
  const from = fromEnd ? Math.max(start, end - size) : start
  const to = fromEnd ? end : Math.min(end, start + size)
  const nodes = list.slice(from, to)
  return connectionOf(
    nodes,
    nodes.map((node) => cursorOf(node.id)),
    { next: to < list.length, previous: from > 0 }
  )
}
