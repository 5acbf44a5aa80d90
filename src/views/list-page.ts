import { directSql, int, type Queries, type Row, type Statement } from '#kit/postgres'
import type { Page } from './views.ts'

/** What narrows a list, and which part of it is wanted. Null lets everything through. */
export type PageRequest = {
  planId?: number | null
  status?: string | null
  /** Exclusive. */
  after?: Temporal.Instant | null
  /** Exclusive. */
  before?: Temporal.Instant | null
  limit: number
  offset: number
}

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
  /** Makes the rows of the answer; `page.id` is the id of one row. */
  details: string
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
 * A list whose total is known without counting. Each facet (everything, one status, one plan, both) has a statement of
 * its own, which finds the beginning of the page by the kept counts and reads it from the index of that facet.
 */
export function facetedList(shape: Shape): (storeId: number, request: PageRequest) => Statement {
  const { name, at, status, hasPlans, belongs, details } = shape
  const declare = (facet: string, ...conditions: string[]) =>
    directSql<Values>(
      name + facet,
      pageOf({
        place: `select total, start_at, start_id, skip_rows, take_rows
                  from locate_page($1, '${name}', $2, $3, $4, $5, $6, $7)`,
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
    const [ofAnyStatus, ofOneStatus] = request.planId == null ? ofAnyPlan : ofOnePlan
    return (request.status == null ? ofAnyStatus : ofOneStatus)(...valuesOf(storeId, request))
  }
}

/**
 * A list narrowed to the few rows of one thing (a customer, a subscription): those are counted. `key` is a condition on
 * an index, with parameters from $8 on.
 */
export function narrowList<Key extends unknown[]>(
  { name, at, status, hasPlans, belongs, details }: Shape,
  by: string,
  key: string
): (storeId: number, request: PageRequest, ...key: Key) => Statement {
  const filters = [
    hasPlans ? '($2::bigint = 0 or plan_id = $2)' : '$2::bigint = 0',
    `($3::text = '' or ${status} = $3)`,
    `($4::timestamptz is null or ${at} > $4)`,
    `($5::timestamptz is null or ${at} < $5)`
  ]
  const statement = directSql<[...Values, ...Key]>(
    `${name}_page_of_${by}`,
    pageOf({
      place: 'select count(*) as total from matching',
      ids: 'select id from matching order by at desc, id desc offset $6::bigint limit $7::bigint',
      details,
      matching: `select id, ${at} as at from ${name} where ${all('store_id = $1', belongs, key, ...filters)}`
    })
  )
  return (storeId, request, ...values) => statement(...valuesOf(storeId, request), ...values)
}

/**
 * One row per row of the page, each with the total; one of nulls with the total when the page is empty. The ids travel
 * as an array, so that PostgreSQL looks their details up one by one however many rows it expects of the limit.
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

function valuesOf(storeId: number, { planId, status, after, before, offset, limit }: PageRequest): Values {
  return [storeId, planId ?? 0, status ?? '', after ?? null, before ?? null, offset, limit]
}

export async function readPage<T>(direct: Queries, view: Row<T>, statement: Statement): Promise<Page<T>> {
  const rowOrNone = (raw: Record<string, unknown>) => ({
    total: int(raw.total),
    row: raw.id === null ? [] : [view(raw)]
  })
  const found = await direct.many(Object.assign(rowOrNone, { columns: ['total', ...view.columns] }), statement)
  return { rows: found.flatMap(({ row }) => row), total: found[0]!.total }
}
