import { type Ctx, int, intList, nullable, row, sql } from '#kit/postgres'
import type { ExportEndpoint, PageIds, PageRequest, PlannedPage } from '../endpoint.ts'
import { findCustomer } from './find-customer.ts'
import { extendMarks, listMarks, MARKED } from './ledger-marks.ts'
import { conditionOf, pagePlan } from './page-plan.ts'
import { statementOf } from './statement-of.ts'

const Found = row({ ids: nullable(intList) })

/** A page of the history of store credit by its number, newest first. The last page costs what the first does. */
export async function planCreditsPage(
  ctx: Ctx,
  endpoint: ExportEndpoint,
  { page, customer }: PageRequest
): Promise<PlannedPage> {
  const { pageSize } = endpoint
  const isShown = conditionOf(endpoint, { store: '$1' })
  const found =
    customer === null
      ? await pageOfAll(ctx, isShown, (page - 1) * pageSize, pageSize)
      : await pageOfCustomer(ctx, isShown, customer, (page - 1) * pageSize, pageSize)
  return pagePlan(ctx, endpoint, found, { meta: { current_page: page, per_page: pageSize }, descending: true })
}

async function pageOfCustomer(
  ctx: Ctx,
  isShown: string,
  customer: string,
  skipped: number,
  limit: number
): Promise<PageIds | null> {
  const memberId = await findCustomer(ctx, customer)
  if (memberId === null) return null
  const { ids } = await ctx.tx.one(
    Found,
    statementOf(
      `select array_agg(n.id) as ids from (
         select e.id from credit_entries e
          where e.store_id = $1 and e.member_id = $2 and ${isShown}
          order by e.position desc offset $3 limit $4) n`,
      [ctx.storeId, memberId, skipped, limit]
    )
  )
  return ids && { ids }
}

/**
 * Counts from the oldest entry, whose place never changes: the marks say where every thousandth is, and how many before it are hidden is
 * counted among the few hidden ones.
 */
async function pageOfAll(ctx: Ctx, isShown: string, skipped: number, limit: number): Promise<PageIds | null> {
  await extendMarks(ctx)
  const marks = await listMarks(ctx)
  const hidden = await listHidden(ctx)
  const lastMark = marks.at(-1) ?? 0
  const { rows } = await ctx.tx.one(
    row({ rows: int }),
    sql`select count(*) as rows from credit_entries where store_id = ${ctx.storeId} and id > ${lastMark}`
  )
  const shown = marks.length * MARKED + rows - hidden.length
  const through = shown - skipped
  if (through <= 0) return null
  const from = Math.max(1, through - limit + 1)
  const place = placeBefore(marks, hidden, from)
  const bounds = await ctx.tx.one(
    row({ first: nullable(int), last: nullable(int) }),
    statementOf(
      `select min(n.id) as first, max(n.id) as last from (
         select e.id from credit_entries e
          where e.store_id = $1 and e.id > $2 and ${isShown} order by e.id offset $3 limit $4) n`,
      [ctx.storeId, place.entryId, from - 1 - place.shown, through - from + 1]
    )
  )
  return bounds.first === null || bounds.last === null ? null : { from: bounds.first, through: bounds.last }
}

/** The last mark before the `nth` shown entry, and how many shown ones there are up to it. */
function placeBefore(marks: number[], hidden: number[], nth: number): { entryId: number; shown: number } {
  const shownUpTo = (mark: number) => (mark + 1) * MARKED - countUpTo(hidden, marks[mark]!)
  let [low, high] = [-1, marks.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (shownUpTo(middle) < nth) low = middle
    else high = middle - 1
  }
  return low < 0 ? { entryId: 0, shown: 0 } : { entryId: marks[low]!, shown: shownUpTo(low) }
}

/** How many of these ascending numbers are at most `most`. */
function countUpTo(numbers: number[], most: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! <= most) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The entries that are not shown, oldest first: redemptions of cancelled orders, and what has restored them in whole. Each is looked up
 * by key: joined, they would be compared with each other where statistics are missing.
 */
async function listHidden(ctx: Ctx): Promise<number[]> {
  const { ids } = await ctx.tx.one(
    Found,
    sql`
    select array_agg(h.id order by h.id) as ids
      from (select distinct reverses_id as id from credit_entries
             where store_id = ${ctx.storeId} and mark = 'order_cancelled' and reverses_id is not null) c
     cross join lateral (
       select type, amount_minor from credit_entries where store_id = ${ctx.storeId} and id = c.id limit 1) e
     cross join lateral (
       select sum(amount_minor) as amount_minor, array_agg(id) filter (where type = 5) as ids
         from credit_entries where store_id = ${ctx.storeId} and reverses_id = c.id) r
     cross join lateral unnest(c.id || r.ids) h(id)
     where e.type = 4 and e.amount_minor + r.amount_minor >= 0`
  )
  return ids ?? []
}
