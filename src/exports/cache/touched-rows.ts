import { type Ctx, intList, nullable, row } from '#kit/postgres'
import type { EndpointName, ExportEndpoint } from '../endpoint.ts'
import { statementOf } from '../pages/statement-of.ts'
import type { Subjects } from './fact-cursor.ts'

/** More customers or rows than this are not listed: everything may have changed. */
const MOST_MEMBERS = 500
const MOST_ROWS = 20_000

/** The rows of an endpoint that may look different, by their internal ids, ascending; null: too many to say. */
export type TouchedRows = Map<EndpointName, number[] | null>

/** What belongs to a customer is shown with those to whom they gave, from whom they got, and with whom they were merged. */
const RELATED = `
  select m.id from unnest($2::bigint[]) as m(id)
  union select s.member_id from subscriptions s where s.store_id = $1 and s.id = any($3::bigint[])
  union select s.receiver_member_id from subscriptions s
   where s.store_id = $1 and (s.id = any($3::bigint[]) or s.member_id = any($2::bigint[])) and s.receiver_member_id is not null
  union select s.member_id from subscriptions s where s.store_id = $1 and s.receiver_member_id = any($2::bigint[])
  union select m.merged_into from members m
   where m.store_id = $1 and m.id = any($2::bigint[]) and m.merged_into is not null`

const Ids = row({ ids: nullable(intList) })

/** Which rows of these endpoints show something of what facts were about. */
export async function findTouchedRows(
  ctx: Ctx,
  endpoints: readonly ExportEndpoint[],
  { members, orders, subscriptions }: Subjects
): Promise<TouchedRows> {
  const touched: TouchedRows = new Map()
  if (members.size + orders.size + subscriptions.size === 0) {
    for (const { name } of endpoints) touched.set(name, [])
    return touched
  }
  const isMuch = [members, orders, subscriptions].some(({ size }) => size > MOST_MEMBERS)
  for (const { name, source } of endpoints) {
    if (isMuch) {
      touched.set(name, null)
      continue
    }
    const { ids } = await ctx.tx.one(
      Ids,
      statementOf(
        `with related as materialized (${RELATED}),
              given_orders as (select o.id from unnest($4::bigint[]) as o(id))
         select array_agg(r.id order by r.id) as ids
           from (select t.id from (${source.rowsAbout}) t(id) limit ${MOST_ROWS + 1}) r`,
        [ctx.storeId, [...members], [...subscriptions], [...orders]]
      )
    )
    touched.set(name, ids && ids.length > MOST_ROWS ? null : (ids ?? []))
  }
  return touched
}

/** Whether a page has one of these rows. `ids` ascending. */
export function hasOneOf(page: { from: number; through: number } | { ids: number[] }, ids: number[]): boolean {
  if ('ids' in page) {
    const touched = new Set(ids)
    return page.ids.some((id) => touched.has(id))
  }
  let [low, high] = [0, ids.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! < page.from) low = middle + 1
    else high = middle
  }
  return low < ids.length && ids[low]! <= page.through
}
