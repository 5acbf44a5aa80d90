import type { Person } from '#kit/personal-data'
import { type Ctx, int, nullable, row, sql, text } from '#kit/postgres'
import { findErased } from '#platform'
import type { Subject } from './request.ts'

const Customer = row({
  id: int,
  kept: int,
  platformCustomerId: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text)
})
const OfOrders = row({ platformOrderId: text, email: nullable(text), customerName: nullable(text) })

/**
 * Everything by which rows can be about whoever a request names: all customers who were merged with theirs, all that have their address, and
 * what their orders call them. `mainId`: our number of the customer who remains; null where we have no row.
 */
export async function findPerson(ctx: Ctx, asked: Subject): Promise<{ person: Person; mainId: number | null }> {
  const customers = await findCustomersOf(ctx, asked)
  const memberIds = customers.map(({ id }) => id)
  const emails = distinct([asked.email, ...customers.map(({ email }) => email)])
  const orders = await ctx.tx.many(
    OfOrders,
    sql`
    select platform_order_id, email, customer_name from orders
     where store_id = ${ctx.storeId}
       and (member_id = any(${memberIds}::bigint[]) or platform_order_id = any(${asked.orderNumbers}::text[])
            or (member_id is null and lower(email) = any(${emails.map((email) => email.toLowerCase())}::text[])))
     order by id`
  )
  const subscriptions = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from subscriptions where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) order by id`
  )
  const person: Person = {
    memberIds,
    customerIds: distinct([
      asked.customerId,
      ...customers.map(({ platformCustomerId: id }) => (id.startsWith('0') ? null : id))
    ]),
    subscriptionIds: subscriptions.map(({ id }) => id),
    orderNumbers: distinct([...asked.orderNumbers, ...orders.map(({ platformOrderId }) => platformOrderId)]),
    emails: distinct([...emails, ...orders.map(({ email }) => email)]),
    phones: distinct([asked.phone]),
    names: distinct([
      ...customers.flatMap(({ firstName, lastName }) => [
        firstName && lastName ? `${firstName} ${lastName}` : null,
        firstName,
        lastName
      ]),
      ...orders.map(({ customerName }) => customerName)
    ]).filter((name) => name.length > 1)
  }
  return { person, mainId: customers[0]?.kept ?? null }
}

/** The customer whom a request names, whoever has the same address, and all who were merged with one of them. */
async function findCustomersOf(ctx: Ctx, asked: Subject) {
  const before = asked.customerId === null ? new Map() : await findErased(ctx, [`customer:${asked.customerId}`])
  const erasedId = [...before.values()][0]?.memberId ?? null
  return ctx.tx.many(
    Customer,
    sql`
    with named as (
      select coalesce(merged_into, id) as kept from members
       where store_id = ${ctx.storeId}
         and (platform_customer_id = ${asked.customerId}::text or id = ${asked.memberId}::bigint or id = ${erasedId}::bigint
              or lower(email) = lower(${asked.email}::text)))
    select m.id, coalesce(m.merged_into, m.id) as kept, m.platform_customer_id, m.email, m.first_name, m.last_name
      from members m
     where m.store_id = ${ctx.storeId} and coalesce(m.merged_into, m.id) in (select kept from named)
     order by (m.merged_into is null) desc, m.id`
  )
}

const distinct = (texts: (string | null)[]): string[] => [
  ...new Set(texts.flatMap((text) => (text === null || text.trim() === '' ? [] : text)))
]
