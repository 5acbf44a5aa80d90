import { type Database, int, row, sql, text } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { Connector, PlatformCustomer } from '#platform'
import { upsertCustomers } from './upsert-customers.ts'

/** Whom somebody means: by our number, the platform's, or an address. */
export type CustomerReference = { memberId: number | null; platformId: string | null; email: string | null }

/**
 * The customer who is meant, as the platform has them now: whether we know them or not. An address that one of those we know
 * has is theirs; the platform is asked for any other. Refuses one who is nobody, naming the field.
 */
export async function fetchCustomer(
  db: Database,
  storeId: number,
  connector: Connector,
  reference: CustomerReference,
  field: string
): Promise<PlatformCustomer> {
  const ids = reference.platformId ? [reference.platformId] : await platformIdsOf(db, storeId, reference)
  if (ids.length === 0 && reference.email !== null) {
    const found = await connector.customers.findByEmails([reference.email])
    if (!found.ok) throw platformUnavailable(found.failure.message)
    ids.push(...(found.value.get(reference.email) ?? []))
  }
  if (ids.length > 1)
    throw invalidField(field, 'must be the address of one customer: several have this one, give an id')
  const there = await connector.customers.findMany(ids)
  if (!there.ok) throw platformUnavailable(there.failure.message)
  const customer = there.value.get(ids[0] ?? '')
  if (!customer) throw invalidField(field, 'must be a customer of the store: the platform has no such customer')
  return customer
}

/**
 * Our number of the customer who is meant. Whom we know is not asked for on the platform; others are met there. Refuses one
 * who is nobody, or gone from the platform, naming the field.
 */
export async function resolveCustomer(
  db: Database,
  storeId: number,
  connectorOf: () => Promise<Connector>,
  reference: CustomerReference,
  field: string
): Promise<number> {
  const known = await db.inStore(storeId, (ctx) =>
    ctx.tx.many(
      row({ id: int }),
      sql`
      select id from members where store_id = ${storeId} and id = ${reference.memberId} and platform_deleted_at is null
      union
      select id from members
       where store_id = ${storeId} and platform_customer_id = ${reference.platformId} and platform_deleted_at is null
      union
      select id from members
       where store_id = ${storeId} and lower(email) = lower(${reference.email}::text) and platform_deleted_at is null`
    )
  )
  if (known.length === 1) return known[0]!.id
  const customer = await fetchCustomer(db, storeId, await connectorOf(), reference, field)
  return db.inStore(storeId, async (ctx) => (await upsertCustomers(ctx, [customer])).get(customer.id)!.id)
}

async function platformIdsOf(
  db: Database,
  storeId: number,
  { memberId, email }: Pick<CustomerReference, 'memberId' | 'email'>
): Promise<string[]> {
  const known = await db.inStore(storeId, (ctx) =>
    ctx.tx.many(
      row({ platformCustomerId: text }),
      sql`
      select platform_customer_id from members where store_id = ${storeId} and id = ${memberId}
      union
      select platform_customer_id from members
       where store_id = ${storeId} and lower(email) = lower(${email}::text) and platform_deleted_at is null`
    )
  )
  return known.map(({ platformCustomerId }) => platformCustomerId)
}

const platformUnavailable = (message: string) =>
  new Refusal('unavailable', `The platform was asked for the customer and did not answer: ${message}`)
