import { type Ctx, int, intList, nullable, row, sentTogether } from '#kit/postgres'
import { Busy } from '#kit/refusal'
import { storeContext } from '#stores'
import type { ExportEndpoint, PageIds, PageRequest, PlannedPage } from '../endpoint.ts'
import { findCustomer } from './find-customer.ts'
import { bringMarksUpToDate, ENOUGH_UNCOUNTED, ENOUGH_UNMARKED, MAX_UNMARKED } from './ledger-marks.ts'
import { conditionOf, pagePlan, skippedBy } from './page-plan.ts'
import { statementOf, withoutLoops } from './statement-of.ts'

/**
 * A page of the history of store credit by its number, newest first. The last page costs what the first does. Throws Busy while many entries
 * are being written.
 */
export async function planCreditsPage(
  ctx: Ctx,
  endpoint: ExportEndpoint,
  { page, customer }: PageRequest
): Promise<PlannedPage> {
  const { pageSize } = endpoint
  const skipped = skippedBy(page, pageSize)
  const [, , found] = await sentTogether(
    storeContext(ctx),
    withoutLoops(ctx),
    customer === null
      ? pageOfAll(ctx, endpoint, skipped, pageSize)
      : pageOfCustomer(ctx, endpoint, customer, skipped, pageSize)
  )
  return pagePlan(ctx, endpoint, found, {
    meta: { current_page: page, per_page: pageSize },
    descending: true,
    staysWhile: 'all rows stay'
  })
}

async function pageOfCustomer(
  ctx: Ctx,
  endpoint: ExportEndpoint,
  customer: string,
  skipped: number,
  limit: number
): Promise<PageIds | null> {
  const memberId = await findCustomer(ctx, customer)
  if (memberId === null) return null
  const { ids } = await ctx.tx.one(
    row({ ids: nullable(intList) }),
    statementOf(
      `select array_agg(n.id) as ids from (
         select e.id from credit_entries e
          where e.store_id = $1 and e.member_id = $2 and ${conditionOf(endpoint, { store: '$1' })}
          order by e.position desc offset $3 limit $4) n`,
      [ctx.storeId, memberId, skipped, limit]
    )
  )
  return ids && { ids }
}

const Found = row({ first: nullable(int), last: nullable(int), unmarked: int, uncounted: int })

/**
 * Counts from the oldest entry, whose place never changes: the marks say how many entries are before every thousandth, and how many of
 * those are hidden.
 */
async function pageOfAll(ctx: Ctx, endpoint: ExportEndpoint, skipped: number, limit: number): Promise<PageIds | null> {
  const isShown = conditionOf(endpoint, { store: '$1', within: (id) => `${id} > place.entry_id` })
  const find = (unmarked: number) =>
    ctx.tx.one(Found, statementOf(findBounds(isShown), [ctx.storeId, skipped, limit, unmarked]))
  let found = await find(ENOUGH_UNMARKED)
  if (found.unmarked > ENOUGH_UNMARKED || found.uncounted > ENOUGH_UNCOUNTED) {
    await bringMarksUpToDate(ctx)
    found = await find(MAX_UNMARKED)
    if (found.unmarked > MAX_UNMARKED) throw new Busy('The history is long and is being written: try again in a moment')
  }
  const { first, last } = found
  return first === null || last === null ? null : { from: first, through: last }
}

/**
 * The first and the last id of a page, all in one snapshot: `$2` are the newer entries that it leaves out, `$3` is its size. Where more than
 * `$4` entries are behind the last mark they are counted no further, and no page is found.
 */
const findBounds = (isShown: string): string => `
  with uncounted as (select entry_id from hidden_credit_entries where store_id = $1 and not is_counted),
  last_mark as (
    select coalesce(max(m.entry_id), 0) as entry_id, coalesce(max(m.shown), 0) as shown
      from (select entry_id, shown from export_marks
             where store_id = $1 and shown is not null order by rank desc limit 1) m),
  behind as (
    select (select count(*) from (select from credit_entries
                                   where store_id = $1 and id > l.entry_id limit $4::bigint + 1) e) as entries,
           (select count(*) from hidden_credit_entries where store_id = $1 and entry_id > l.entry_id) as hidden
      from last_mark l),
  page as (
    select p.through, greatest(1, p.through - $3 + 1) as first
      from last_mark l cross join behind b
     cross join lateral (
       select l.shown - (select count(*) from uncounted u where u.entry_id <= l.entry_id)
              + b.entries - b.hidden - $2 as through) p
     where b.entries <= $4 and p.through > 0),
  -- What is not counted yet makes a mark's number smaller, so it is before the page all the same. Without a mark: the beginning.
  place as (
    select coalesce(max(m.entry_id), 0) as entry_id,
           coalesce(max(m.shown), 0) - (select count(*) from uncounted u where u.entry_id <= max(m.entry_id)) as shown
      from page p
     cross join lateral (
       select entry_id, shown from export_marks
        where store_id = $1 and shown is not null and shown < p.first order by shown desc limit 1) m),
  bounds as (
    select min(n.id) as first, max(n.id) as last
      from page p cross join place
     cross join lateral (
       select e.id from credit_entries e
        where e.store_id = $1 and e.id > place.entry_id and ${isShown}
        order by e.id offset p.first - 1 - place.shown limit p.through - p.first + 1) n)
  select b.first, b.last, (select entries from behind) as unmarked, (select count(*) from uncounted) as uncounted
    from bounds b`
