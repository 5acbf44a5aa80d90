import { instant, nullable, type Queries, row, sql, text } from '#kit/postgres'
import type { Shop } from '../shop.ts'
import { findCustomers } from '../state/customers.ts'
import type { Person } from './filters.ts'
import { matches, type SegmentWorld } from './matches.ts'
import { type Condition, parseSegment } from './segment-query.ts'

/** How many customers are looked at together. */
const BATCH = 1_000

const worldOf = ({ timezone, currency }: Shop, now: Temporal.Instant): SegmentWorld => ({ now, timezone, currency })

const OrderDates = row({ id: text, firstOrderAt: nullable(instant), lastOrderAt: nullable(instant) })

async function peopleOf(q: Queries, storeId: number, ids: string[]): Promise<Person[]> {
  const customers = await findCustomers(q, storeId, ids)
  const dates = await q.many(
    OrderDates,
    sql`
    select customer_id::text as id, min(created_at) as first_order_at, max(created_at) as last_order_at
      from sandbox.orders where store_id = ${storeId} and customer_id = any(${ids}::bigint[]) group by customer_id`
  )
  const known = new Map(dates.map((found) => [found.id, found]))
  return customers.map((customer) => {
    const { firstOrderAt = null, lastOrderAt = null } = known.get(customer.id) ?? {}
    return { ...customer, firstOrderAt, lastOrderAt }
  })
}

/** Whether a customer belongs to a segment with this query; nobody to one that cannot be read. */
export async function isMember(
  q: Queries,
  shop: Shop,
  customerId: string,
  query: string,
  now: Temporal.Instant
): Promise<boolean> {
  const parsed = parseSegment(query)
  if ('errors' in parsed) return false
  const [person] = await peopleOf(q, shop.storeId, [customerId])
  return person !== undefined && matches(parsed.condition, person, worldOf(shop, now))
}

/** The ids of all members, the oldest first. */
export async function listMembers(
  q: Queries,
  shop: Shop,
  condition: Condition,
  now: Temporal.Instant
): Promise<string[]> {
  const members: string[] = []
  const world = worldOf(shop, now)
  for (let after = '0'; ; ) {
    const found = await q.many(
      row({ id: text }),
      sql`
      select id::text as id from sandbox.customers
       where store_id = ${shop.storeId} and id > ${after}::bigint and deleted_at is null order by customers.id limit ${BATCH}`
    )
    const ids = found.map(({ id }) => id)
    const people = await peopleOf(q, shop.storeId, ids)
    const inside = new Set(people.filter((person) => matches(condition, person, world)).map(({ id }) => id))
    members.push(...ids.filter((id) => inside.has(id)))
    if (ids.length < BATCH) return members
    after = ids.at(-1)!
  }
}
