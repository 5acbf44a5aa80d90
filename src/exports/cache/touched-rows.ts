import { type Ctx, intList, nullable, row } from '#kit/postgres'
import type { EndpointName, ExportEndpoint } from '../endpoint.ts'
import { statementOf } from '../pages/statement-of.ts'
import type { Subjects } from './fact-cursor.ts'

/** More customers, orders or rows than this are not listed: everything may have changed. */
const MAX_SUBJECTS = 500
const MAX_ROWS = 20_000

/** The rows of an endpoint that may look different, by their internal ids, ascending; null: too many to say. */
export type TouchedRows = Map<EndpointName, number[] | null>

/** What happens to a membership is shown with the one who holds it, and may be recorded as of the one who pays. */
const RELATED = `
  select m.id from unnest($2::bigint[]) as m(id)
  union select s.receiver_member_id from subscriptions s
   where s.store_id = $1 and s.member_id = any($2::bigint[]) and s.receiver_member_id is not null`

const Ids = row({ ids: nullable(intList) })

/** Which rows of these endpoints show something of what facts were about. */
export async function findTouchedRows(
  ctx: Ctx,
  endpoints: readonly ExportEndpoint[],
  { members, orders }: Subjects
): Promise<TouchedRows> {
  const touched: TouchedRows = new Map()
  if (members.size + orders.size === 0) {
    for (const { name } of endpoints) touched.set(name, [])
    return touched
  }
  const isMuch = Math.max(members.size, orders.size) > MAX_SUBJECTS
  for (const { name, source } of endpoints) {
    if (isMuch) {
      touched.set(name, null)
      continue
    }
    const { ids } = await ctx.tx.one(
      Ids,
      statementOf(
        `with related as materialized (${RELATED}),
              given_orders as (select o.id from unnest($3::bigint[]) as o(id))
         select array_agg(r.id order by r.id) as ids
           from (select t.id from (${source.rowsAbout}) t(id) limit ${MAX_ROWS + 1}) r`,
        [ctx.storeId, [...members], [...orders]]
      )
    )
    touched.set(name, ids && ids.length > MAX_ROWS ? null : (ids ?? []))
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
