import { type Database, int, row, sql, text } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { Connector, PlatformCustomer } from '#platform'
import { meetCustomers } from './meet-customers.ts'

/** Whom somebody means: by our number, the platform's, or an address. */
export type CustomerSaid = { memberId: number | null; platformId: string | null; email: string | null }

/**
 * The customer who is meant, as the platform has them now: whether we know them or not. An address that one of those we know
 * has is theirs; the platform is asked for any other. Refuses one who is nobody, naming the field.
 */
export async function lookUpCustomer(
  db: Database,
  storeId: number,
  connector: Connector,
  said: CustomerSaid,
  field: string
): Promise<PlatformCustomer> {
  const ids = said.platformId ? [said.platformId] : await numbersOf(db, storeId, said)
  if (ids.length === 0 && said.email !== null) {
    const found = await connector.customers.findByEmails([said.email])
    if (!found.ok) throw notAnswered(found.failure.message)
    ids.push(...(found.value.get(said.email) ?? []))
  }
  if (ids.length > 1) throw invalidField(field, 'takes the address of one customer: several have this one, give an id')
  const there = await connector.customers.findMany(ids)
  if (!there.ok) throw notAnswered(there.failure.message)
  const customer = there.value.get(ids[0] ?? '')
  if (!customer) throw invalidField(field, 'takes a customer of the store: the platform has no such customer')
  return customer
}

/**
 * Our number of the customer who is meant. Whom we know is not asked for on the platform; others are met there. Refuses one
 * who is nobody, or gone from the platform, naming the field.
 */
export async function meetWhoIsMeant(
  db: Database,
  storeId: number,
  connectorOf: () => Promise<Connector>,
  said: CustomerSaid,
  field: string
): Promise<number> {
  const known = await db.inStore(storeId, (ctx) =>
    ctx.tx.many(
      row({ id: int }),
      sql`
      select id from members where store_id = ${storeId} and id = ${said.memberId} and deleted_there_at is null
      union
      select id from members
       where store_id = ${storeId} and platform_customer_id = ${said.platformId} and deleted_there_at is null
      union
      select id from members
       where store_id = ${storeId} and lower(email) = lower(${said.email}::text) and deleted_there_at is null`
    )
  )
  if (known.length === 1) return known[0]!.id
  const customer = await lookUpCustomer(db, storeId, await connectorOf(), said, field)
  return db.inStore(storeId, async (ctx) => (await meetCustomers(ctx, [customer])).get(customer.id)!.id)
}

async function numbersOf(
  db: Database,
  storeId: number,
  { memberId, email }: Pick<CustomerSaid, 'memberId' | 'email'>
): Promise<string[]> {
  const known = await db.inStore(storeId, (ctx) =>
    ctx.tx.many(
      row({ platformCustomerId: text }),
      sql`
      select platform_customer_id from members where store_id = ${storeId} and id = ${memberId}
      union
      select platform_customer_id from members
       where store_id = ${storeId} and lower(email) = lower(${email}::text) and deleted_there_at is null`
    )
  )
  return known.map(({ platformCustomerId }) => platformCustomerId)
}

const notAnswered = (message: string) =>
  new Refusal('unavailable', `The platform was asked for the customer and did not answer: ${message}`)
