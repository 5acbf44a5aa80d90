import { type Ctx, type Database, instant, int, nullable, row, sql, text } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { type Connector, findErased, type PlatformCustomer } from '#platform'
import { upsertCustomers } from './upsert-customers.ts'

/** References a customer by our number, the platform's number, or an e-mail address. */
export type CustomerReference = { memberId: number | null; platformId: string | null; email: string | null }

/**
 * The referenced customer as the platform has them now, whether they have a row here or not. An e-mail address is looked up here
 * first, then on the platform. Refuses a reference that matches nobody, naming the field.
 */
export async function fetchCustomer(
  db: Database,
  storeId: number,
  connector: Connector,
  reference: CustomerReference,
  field: string
): Promise<PlatformCustomer> {
  const ids = reference.platformId ? [reference.platformId] : await platformIdsOf(db, storeId, reference, field)
  if (ids.length === 0 && reference.email !== null) {
    const found = await connector.customers.findByEmails([reference.email])
    if (!found.ok) throw platformUnavailable(found.failure.message)
    ids.push(...(found.value.get(reference.email) ?? []))
  }
  if (ids.length > 1) throw invalidField(field, 'must reference one customer: several have this address, so give an id')
  // Before the platform is asked: it may have deleted whose data was erased.
  const subjects = ids.map((id) => `customer:${id}` as const)
  if ((await db.inStore(storeId, (ctx) => findErased(ctx, subjects))).size > 0) throw wasErased(field)
  const there = await connector.customers.findMany(ids)
  if (!there.ok) throw platformUnavailable(there.failure.message)
  const customer = there.value.get(ids[0] ?? '')
  if (!customer)
    throw invalidField(field, 'must be a customer of the store: the platform has no such customer', 'not_found')
  return customer
}

/** Our numbers of the referenced customers who have a row here and are not deleted on the platform: several may share an address. */
export async function findKnownCustomers(ctx: Ctx, reference: CustomerReference): Promise<number[]> {
  const known = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from members where store_id = ${ctx.storeId} and id = ${reference.memberId} and platform_deleted_at is null
    union
    select id from members
     where store_id = ${ctx.storeId} and platform_customer_id = ${reference.platformId} and platform_deleted_at is null
    union
    select id from members
     where store_id = ${ctx.storeId} and lower(email) = lower(${reference.email}::text) and platform_deleted_at is null`
  )
  return known.map(({ id }) => id)
}

/**
 * Our number of the referenced customer. One who has no row here is read from the platform and inserted. Refuses a reference that
 * matches nobody, or a customer deleted on the platform, naming the field.
 */
export async function resolveCustomer(
  db: Database,
  storeId: number,
  connectorOf: () => Promise<Connector>,
  reference: CustomerReference,
  field: string
): Promise<number> {
  const known = await db.inStore(storeId, (ctx) => findKnownCustomers(ctx, reference))
  if (known.length === 1) return known[0]!
  const customer = await fetchCustomer(db, storeId, await connectorOf(), reference, field)
  return db.inStore(storeId, async (ctx) => (await upsertCustomers(ctx, [customer])).get(customer.id)!.id)
}

async function platformIdsOf(
  db: Database,
  storeId: number,
  { memberId, email }: Pick<CustomerReference, 'memberId' | 'email'>,
  field: string
): Promise<string[]> {
  const known = await db.inStore(storeId, (ctx) =>
    ctx.tx.many(
      row({ platformCustomerId: text, erasedAt: nullable(instant) }),
      sql`
      select platform_customer_id, erased_at from members where store_id = ${storeId} and id = ${memberId}
      union
      select platform_customer_id, erased_at from members
       where store_id = ${storeId} and lower(email) = lower(${email}::text) and platform_deleted_at is null`
    )
  )
  // An erased row has no number of the platform any more, so the platform could not be asked for it.
  if (known.some(({ erasedAt }) => erasedAt !== null)) throw wasErased(field)
  return known.map(({ platformCustomerId }) => platformCustomerId)
}

const wasErased = (field: string) => invalidField(field, 'must be a customer whose data was not erased', 'not_found')

export const platformUnavailable = (message: string) =>
  new Refusal('unavailable', `The customer could not be read from the platform: ${message}`)
