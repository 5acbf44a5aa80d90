import { type Ctx, int, intList, nullable, row, sentTogether, waitForWriters } from '#kit/postgres'
import { Busy } from '#kit/refusal'
import { type StoreContext, storeContext } from '#stores'
import type { ExportEndpoint, PageIds, PageRequest, PlannedPage } from '../endpoint.ts'
import { instantLiteral } from '../format-fields.ts'
import { findCustomer } from './find-customer.ts'
import { conditionOf, pagePlan } from './page-plan.ts'
import { statementOf, withoutLoops } from './statement-of.ts'

type CursorEndpoint = Extract<ExportEndpoint, { paging: 'cursor' }>

/** How long a page waits for transactions that may still insert a smaller id than its rows have. */
const WRITERS_MS = 3_000

/** From how many changed rows on a page finds them by walking over all rows rather than by their change times. */
const MAX_BY_CHANGE = 50_000

/** Up to which id the rows of each table are known to be all there, so that pages of older rows do not ask again. */
export type Settled = Map<string, number>

/**
 * A page of a cursor endpoint: the rows after `sinceId`. Only rows are in it below which no row can appear any more; a page that has
 * such rows only in part is shorter, and one that has none is refused as busy, so that nobody takes it for the end.
 */
export async function planCursorPage(
  ctx: Ctx,
  endpoint: CursorEndpoint,
  request: PageRequest,
  settledThrough: Settled
): Promise<PlannedPage> {
  const context = storeContext(ctx)
  const [{ timezone }, , { filters, found }] = await sentTogether(
    context,
    endpoint.source.leavesOut && withoutLoops(ctx),
    findFiltered(ctx, endpoint, request, { settledThrough, context })
  )
  const page = found?.page ?? null
  return pagePlan(ctx, endpoint, page, {
    meta: {
      per_page: endpoint.pageSize,
      last_id: page ? lastOf(page) : request.sinceId,
      has_more: found?.hasMore ?? false,
      timezone
    },
    // Rows before the last one of a page that is full and settled are only changed, which is noticed.
    staysWhile: found?.isFull && found.hasMore && filters && isPlain(filters) ? 'its rows stay' : null,
    conditions: page && filters && 'from' in page ? filters.conditions.map((condition) => condition(asLiteral)) : []
  })
}

/** Sent at once where no day of the shop has to be known first. */
async function findFiltered(
  ctx: Ctx,
  endpoint: CursorEndpoint,
  request: PageRequest,
  { settledThrough, context }: { settledThrough: Settled; context: Promise<StoreContext> }
): Promise<{ filters: Filters | null; found: Found | null }> {
  const filters = await filtersOf(ctx, endpoint, request, context)
  return { filters, found: filters && (await settledPage(ctx, endpoint, request, filters, settledThrough)) }
}

/** `isFull`: nothing was left out since it was being written. */
type Found = { page: PageIds | null; hasMore: boolean; isFull: boolean }

const lastOf = (page: PageIds): number => ('ids' in page ? page.ids.at(-1)! : page.through)

async function settledPage(
  ctx: Ctx,
  endpoint: CursorEndpoint,
  request: PageRequest,
  filters: Filters,
  settledThrough: Settled
): Promise<Found> {
  const { table } = endpoint.source
  const find = (through: number) => findPage(ctx, endpoint, { ...filters, after: request.sinceId, through })
  const found = await find(Number.MAX_SAFE_INTEGER)
  if (!found.page) return found
  const last = lastOf(found.page)
  const known = settledThrough.get(table) ?? 0
  if (last <= known) return found
  if (await waitForWriters(ctx, table, WRITERS_MS)) {
    settledThrough.set(table, Math.max(last, settledThrough.get(table) ?? 0))
    // Read again: what was waited for may have added rows.
    const settled = await find(last)
    return { ...settled, hasMore: settled.hasMore || found.hasMore }
  }
  const shorter = await find(known)
  if (!shorter.page) throw new Busy('Rows are being written that belong on this page: try again in a moment')
  return { page: shorter.page, hasMore: true, isFull: false }
}

/** Writes a value into SQL: as a parameter, or as a literal where there are none. */
type Put = (value: number | Temporal.Instant) => string
type Condition = (put: Put) => string

const asLiteral: Put = (value) => (typeof value === 'number' ? String(value) : instantLiteral(value.toString()))

/** Parameters behind those that `values` has already. */
const asParameter =
  (values: unknown[]): Put =>
  (value) => {
    values.push(value)
    return `$${values.length}::${typeof value === 'number' ? 'bigint' : 'timestamptz'}`
  }

type Filters = {
  /** In SQL, of the rows. */
  conditions: Condition[]
  /** The rows that changed since, found by the index on change times; null when there is no such filter or very many match. */
  changed: Condition | null
  /** The rows are few and far between: they are named by a list. */
  isSparse: boolean
}

const isPlain = ({ conditions, changed, isSparse }: Filters): boolean =>
  conditions.length === 0 && changed === null && !isSparse

/** Null: nothing can match. */
async function filtersOf(
  ctx: Ctx,
  endpoint: CursorEndpoint,
  request: PageRequest,
  context: Promise<StoreContext>
): Promise<Filters | null> {
  const { alias } = endpoint.source
  const filters: Filters = { conditions: [], changed: null, isSparse: false }
  if (request.customer !== null && endpoint.customer) {
    const memberId = await findCustomer(ctx, request.customer)
    if (memberId === null) return null
    filters.conditions.push((put) => `${alias}.${endpoint.customer} = ${put(memberId)}`)
    filters.isSparse = true
  }
  if (request.sinceDate && endpoint.date) {
    const since = midnight(request.sinceDate, (await context).timezone)
    filters.conditions.push((put) => `${alias}.${endpoint.date} >= ${put(since)}`)
  }
  if (request.sinceUpdated && endpoint.changes) {
    const { kind, column } = endpoint.changes
    const since = midnight(request.sinceUpdated, (await context).timezone)
    if (await areFew(ctx, endpoint, endpoint.changes, since)) {
      filters.isSparse = true
      filters.changed = (put) => `
        select x.row_id from export_changes x
         where x.store_id = ${put(ctx.storeId)} and x.kind = '${kind}' and x.changed_at >= ${put(since)}
        union
        select y.id from ${endpoint.source.table} y where y.store_id = ${put(ctx.storeId)} and y.${column} >= ${put(since)}`
    } else {
      filters.conditions.push(
        (put) => `(${alias}.${column} >= ${put(since)} or exists (
        select from export_changes x
         where x.store_id = ${put(ctx.storeId)} and x.kind = '${kind}' and x.row_id = ${alias}.id
           and x.changed_at >= ${put(since)}))`
      )
    }
  }
  return filters
}

/** PostgreSQL has no year 0. */
const EARLIEST = Temporal.Instant.from('0001-01-01T00:00:00Z')

/** The start of a day of the shop: a midnight that does not exist is the first moment after it. */
function midnight(day: Temporal.PlainDate, timezone: string): Temporal.Instant {
  const start = day.toZonedDateTime(timezone).toInstant()
  return Temporal.Instant.compare(start, EARLIEST) < 0 ? EARLIEST : start
}

/** Whether so few rows changed that they are found by their change times. */
async function areFew(
  ctx: Ctx,
  { source }: CursorEndpoint,
  { kind, column }: NonNullable<CursorEndpoint['changes']>,
  since: Temporal.Instant
): Promise<boolean> {
  const { rows } = await ctx.tx.one(
    row({ rows: int }),
    statementOf(
      `select (select count(*) from (
                 select 1 from export_changes x
                  where x.store_id = $1 and x.kind = '${kind}' and x.changed_at >= $2 limit ${MAX_BY_CHANGE + 1}) n)
            + (select count(*) from (
                 select 1 from ${source.table} y where y.store_id = $1 and y.${column} >= $2 limit ${MAX_BY_CHANGE + 1}) n) as rows`,
      [ctx.storeId, since]
    )
  )
  return rows <= MAX_BY_CHANGE
}

const FoundRange = row({ ids: nullable(intList), end: nullable(int) })
const FoundList = row({ ids: nullable(intList) })

/**
 * The ids of the next rows, at most a page of them: one index-only read where there are no filters. A range begins behind `after`; only a page
 * that is not full is looked at from its end.
 */
async function findPage(
  ctx: Ctx,
  endpoint: CursorEndpoint,
  { conditions, changed, isSparse, after, through }: Filters & { after: number; through: number }
): Promise<Found> {
  const { pageSize } = endpoint
  const { table, alias } = endpoint.source
  const values: unknown[] = [ctx.storeId, after, through]
  const put = asParameter(values)
  const isOwn = conditionOf(endpoint, { store: '$1', within: (id) => `${id} > $2 and ${id} <= $3` })
  const others = conditions.map((condition) => condition(put))
  const rows = `select ${alias}.id from ${table} ${alias}
      where ${alias}.store_id = $1 and ${alias}.id > $2 and ${alias}.id <= $3
        and ${[isOwn, ...others].join(' and ')}
        ${changed ? `and ${alias}.id in (${changed(put)})` : ''}
      order by ${alias}.id`
  if (isSparse) {
    const { ids } = await ctx.tx.one(
      FoundList,
      statementOf(`select array_agg(n.id order by n.id) as ids from (${rows} limit ${pageSize + 1}) n`, values)
    )
    if (ids === null) return { page: null, hasMore: false, isFull: true }
    return { page: { ids: ids.slice(0, pageSize) }, hasMore: ids.length > pageSize, isFull: true }
  }
  const { ids, end } = await ctx.tx.one(
    FoundRange,
    statementOf(
      `with ends as materialized (${rows} offset ${pageSize - 1} limit 2)
       select (select array_agg(id order by id) from ends) as ids,
              case when not exists (select from ends) then (${rows} desc limit 1) end as end`,
      values
    )
  )
  const last = ids?.[0] ?? end
  const page = last === null ? null : { from: after + 1, through: last }
  return { page, hasMore: ids?.length === 2, isFull: true }
}
