import { snakeCase } from '#kit/define-settings'
import { directSql, int, type Queries, type Row, type Statement } from '#kit/postgres'
import type { FilterBy, Filters, FilterValues } from '../filters.ts'
import type { Page } from '../views.ts'

type Shape = {
  /** As in list_rows, and the name of its table. */
  name: 'members' | 'subscriptions' | 'billing_attempts'
  /** The column that orders it, newest first. */
  at: string
  status: string
  /** Whether its rows have a plan_id. */
  hasPlans: boolean
  /** A condition on the rows of the table that belong to the list, where not all do. */
  belongs?: string
  /** Makes the rows of the page; `page.id` is the id of one row. */
  details: string
}

/** One page of a list: how many rows it has at most, and how many rows before it are skipped. */
export type Paging = { limit: number; offset: number }

type List<F extends Filters, T> = (
  direct: Queries,
  storeId: number,
  values: FilterValues<F> & Paging
) => Promise<Page<T>>

/**
 * A list with its statements: one per facet, and one per filter of kind `key`. Rows are newest first, id breaking ties.
 * Filters combine; one that is left out lets everything through.
 */
export function defineList<F extends Filters, T>(view: Row<T>, filters: F, shape: Shape): List<F, T> {
  const page = facetedList(shape)
  const keys = Object.entries(filters).flatMap(([name, { by }]) => (by.kind === 'key' ? { name, by } : []))
  const narrow = new Map(
    keys.map((key) => [
      key.name,
      narrowList(
        shape,
        key,
        keys.filter((other) => other !== key)
      )
    ])
  )
  return (direct, storeId, values) => {
    const request = requestOf(filters, values)
    const key = keys.find(({ name }) => values[name] !== undefined)
    const statement = key ? narrow.get(key.name)!(storeId, request, values) : page(storeId, request)
    return readPage(direct, view, statement)
  }
}

/** The values of a list's facets and bounds, and the page. Null lets everything through. */
type PageRequest = Paging & {
  plan: number | null
  status: string | null
  after: Temporal.Instant | null
  before: Temporal.Instant | null
}

function requestOf(filters: Filters, values: Paging & Record<string, unknown>): PageRequest {
  const request: PageRequest = {
    plan: null,
    status: null,
    after: null,
    before: null,
    limit: values.limit,
    offset: values.offset
  }
  for (const [name, { by }] of Object.entries(filters)) {
    if (values[name] === undefined || by.kind === 'key') continue
    Object.assign(request, { [by.kind === 'facet' ? by.facet : by.bound]: values[name] })
  }
  return request
}

type Values = [
  storeId: number,
  planId: number,
  status: string,
  after: Temporal.Instant | null,
  before: Temporal.Instant | null,
  offset: number,
  limit: number
]

/**
 * The total is known without counting. Each facet (everything, one status, one plan, both) has a statement of its own,
 * which finds the beginning of the page by the stored counts and reads it from the index of that facet.
 */
function facetedList(shape: Shape): (storeId: number, request: PageRequest) => Statement {
  const { name, at, status, hasPlans, belongs, details } = shape
  const declare = (facet: string, ...conditions: string[]) =>
    directSql<Values>(
      name + facet,
      pageOf({
        place: `select total, start_at, start_id, skip_rows, take_rows
                  from page_with_total($1, '${name}', $2, $3, $4, $5, $6, $7)`,
        ids: `select id from ${name}
               where ${all('store_id = $1', belongs, ...conditions)}
                 and (${at}, id) < ((select start_at from place), (select start_id from place))
               order by ${at} desc, id desc
              offset (select skip_rows from place) limit (select take_rows from place)`,
        details
      })
    )
  const [ofPlan, ofStatus] = ['plan_id = $2', `${status} = $3`]
  const ofAnyPlan = [declare('_page'), declare('_page_by_status', ofStatus)] as const
  const ofOnePlan = hasPlans
    ? ([declare('_page_of_plan', ofPlan), declare('_page_of_plan_by_status', ofPlan, ofStatus)] as const)
    : ofAnyPlan
  return (storeId, request) => {
    const [ofAnyStatus, ofOneStatus] = request.plan === null ? ofAnyPlan : ofOnePlan
    return (request.status === null ? ofAnyStatus : ofOneStatus)(...valuesOf(storeId, request))
  }
}

type Key = { name: string; by: Extract<FilterBy<unknown>, { kind: 'key' }> }

/**
 * The few rows of one thing (a customer, a subscription), which an index finds: they are counted. The other filters are
 * conditions on these rows, and apply when they are given.
 */
function narrowList(
  { name, at, status, hasPlans, belongs, details }: Shape,
  key: Key,
  others: Key[]
): (storeId: number, request: PageRequest, values: Record<string, unknown>) => Statement {
  let taken = 7
  const placesOf = ({ by }: Key) => by.types.map((type) => `$${++taken}::${type}`)
  const keyCondition = key.by.condition(...placesOf(key))
  const otherConditions = others.map((other) => {
    const places = placesOf(other)
    return `(${all(...places.map((place) => `${place} is null`))} or ${other.by.condition(...places)})`
  })
  const filters = [
    hasPlans ? '($2::bigint = 0 or plan_id = $2)' : '$2::bigint = 0',
    `($3::text = '' or ${status} = $3)`,
    `($4::timestamptz is null or ${at} > $4)`,
    `($5::timestamptz is null or ${at} < $5)`
  ]
  const statement = directSql<unknown[]>(
    `${name}_page_of_${snakeCase(key.name)}`,
    pageOf({
      place: 'select count(*) as total from matching',
      ids: 'select id from matching order by at desc, id desc offset $6::bigint limit $7::bigint',
      details,
      matching: `select id, ${at} as at from ${name} where ${all('store_id = $1', belongs, keyCondition, ...filters, ...otherConditions)}`
    })
  )
  const valuesOfKey = ({ name, by }: Key, values: Record<string, unknown>) =>
    values[name] === undefined ? by.types.map(() => null) : by.values(values[name])
  return (storeId, request, values) =>
    statement(...valuesOf(storeId, request), ...[key, ...others].flatMap((one) => valuesOfKey(one, values)))
}

/**
 * One row per row of the page, each with the total; for an empty page one row of nulls with the total. The ids are in an array, so
 * that PostgreSQL looks up their details one by one, whatever number of rows it expects of the limit.
 */
function pageOf(parts: { place: string; ids: string; details: string; matching?: string }): string {
  const { place, ids, details, matching } = parts
  return `with ${matching ? `matching as materialized (${matching}), ` : ''}place as materialized (${place})
     select place.total, r.*
       from place
       left join (unnest(array(${ids})) with ordinality as page(id, nth) cross join lateral (${details}) r) on true
      order by page.nth`
}

const all = (...conditions: (string | undefined)[]) => conditions.filter(Boolean).join(' and ')

function valuesOf(storeId: number, { plan, status, after, before, offset, limit }: PageRequest): Values {
  return [storeId, plan ?? 0, status ?? '', after, before, offset, limit]
}

async function readPage<T>(direct: Queries, view: Row<T>, statement: Statement): Promise<Page<T>> {
  const rowOrNone = (raw: Record<string, unknown>) => ({
    total: int(raw.total),
    row: raw.id === null ? [] : [view(raw)]
  })
  const found = await direct.many(Object.assign(rowOrNone, { columns: ['total', ...view.columns] }), statement)
  return { rows: found.flatMap(({ row }) => row), total: found[0]!.total }
}
