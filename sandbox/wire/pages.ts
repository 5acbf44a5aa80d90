import { createHash } from 'node:crypto'
import { type Queries, row, type Statement, text } from '#kit/postgres'
import { badPage, type Connection, connectionOf, cursorOf, type PageArgs, pageSize, positionOf } from './connections.ts'
import { isNumericId } from './gid.ts'
import { parseSearch, type Search } from './search.ts'

const Position = row({ id: text, sortValue: text })
const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** The options of a list: its sort keys besides the id, and its search fields as SQL over `$6`. */
export type Listing = { table: string; sorts: Record<string, string>; where: string }

function rangesOf(sorts: Record<string, string>): string[] {
  return [
    ...['created_at', 'updated_at'].filter((c) => Object.values(sorts).includes(c)).map((c) => [c, 'timestamptz']),
    ['id', 'bigint']
  ].flatMap(([column, type]) =>
    Object.entries({ gt: '>', gte: '>=', lt: '<', lte: '<=', eq: '=' }).map(
      ([word, sign]) =>
        `($6::jsonb->>'${column}_${word}' is null or ${column} ${sign} ($6::jsonb->>'${column}_${word}')::${type})`
    )
  )
}

function statements({ table, sorts, where }: Listing): { forward: string; backward: string } {
  const keys = Object.entries(sorts).map(([name, column]) => {
    const value = column.endsWith('_at')
      ? `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
      : `lower(${column})`
    return `when '${name}' then coalesce(${value}, '')`
  })
  const key = keys.length > 0 ? `case $2::text ${keys.join(' ')} else '' end` : `left($2::text, 0)`
  const page = (sign: string, direction: string) => `
    select t.id::text as id, t.v as sort_value
      from (select id, (${key}) collate "C" as v from ${table}
             where store_id = $1 and ${[...rangesOf(sorts), where].join('\n               and ')}) t
     where $3::text is null or (t.v, t.id) ${sign} ($3::text collate "C", $4::bigint)
     order by t.v ${direction}, t.id ${direction} limit $5::int`
  return { forward: page('>', 'asc'), backward: page('<', 'desc') }
}

const named = (body: string) => ({
  name: `page_${createHash('sha1').update(body).digest('base64url').slice(0, 20)}`,
  text: body
})

/** The ids that a list without pages has, the oldest first: at most so many. */
export function matching({ table, sorts, where }: Listing) {
  const conditions = [...rangesOf(sorts), where].join('\n       and ').replaceAll('$6', '$2')
  const statement = named(
    `select id::text as id from ${table} where store_id = $1 and ${conditions} order by id limit $3::int`
  )
  return async (
    q: Queries,
    storeId: number,
    { query, most }: { query: string | null; most: number },
    more: Search = {}
  ): Promise<string[]> => {
    const search = JSON.stringify(checked({ ...parseSearch(query), ...more }))
    const found = await q.many(row({ id: text }), { ...statement, values: [storeId, search, most] })
    return found.map(({ id }) => id)
  }
}

/** The answer of a count that stops at a limit. */
export function countUpTo(found: number, limit: number): { count: number; precision: string } {
  return { count: Math.min(found, limit), precision: found > limit ? 'AT_LEAST' : 'EXACT' }
}

/**
 * Builds the two statements that list a table, forwards and backwards. Their text is built once, when the module loads; values of
 * a request are only parameters.
 */
export function listing(of: Listing) {
  const { forward, backward } = statements(of)
  const [ahead, back] = [named(forward), named(backward)]

  return async <T extends { id: string }>(
    q: Queries,
    storeId: number,
    args: PageArgs & { sortKey?: string | null; query?: string | null },
    load: (ids: string[]) => Promise<T[]>,
    more: Search = {}
  ): Promise<Connection<T>> => {
    const { size, fromEnd } = pageSize(args)
    const descending = Boolean(args.reverse) !== fromEnd
    const cursor = fromEnd ? args.before : args.after
    const position = cursor ? positionOf(cursor) : null
    if (position && !isNumericId(position.id)) throw badPage('Invalid cursor for current pagination sort.')
    const search = checked({ ...parseSearch(args.query), ...more })
    const statement: Statement = {
      ...(descending ? back : ahead),
      values: [
        storeId,
        args.sortKey ?? 'ID',
        position?.value ?? null,
        position?.id ?? null,
        size + 1,
        JSON.stringify(search)
      ]
    }
    const found = await q.many(Position, statement)
    const page = found.slice(0, size)
    if (fromEnd) page.reverse()
    const nodes = await load(page.map(({ id }) => id))
    const over = found.length > size
    return connectionOf(
      nodes,
      page.map(({ id, sortValue }) => cursorOf(id, sortValue)),
      fromEnd ? { next: Boolean(args.before), previous: over } : { next: over, previous: Boolean(args.after) }
    )
  }
}

/** Checks the values that the statement casts, since an invalid search is an error of the client. */
function checked(search: Search): Search {
  for (const [field, value] of Object.entries(search)) {
    if (/^(created|updated|starts|ends)_at_/.test(field) && !INSTANT.test(value))
      throw badPage(`Invalid timestamp: ${value}`)
    if (/^times_used_/.test(field) && !/^\d{1,18}$/.test(value)) throw badPage(`Invalid number: ${value}`)
    if (/^(id|customer_id|order_id|contract_id)_/.test(field)) {
      const digits = value.replace(/^gid:\/\/[a-z]+\/[A-Za-z]+\//, '')
      if (!/^\d{1,18}$/.test(digits)) throw badPage(`Invalid id: ${value}`)
      search[field] = digits
    }
  }
  return search
}
