import { bool, json, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

/** The lines of an address as a person gave them. */
export type AddressLines = {
  firstName: string | null
  lastName: string | null
  company: string | null
  address1: string | null
  address2: string | null
  city: string | null
  countryCode: string | null
  provinceCode: string | null
  /** The name of a province whose code is not known. */
  province: string | null
  zip: string | null
  phone: string | null
}
const AddressRow = row({ id: text, customerId: text, isDefault: bool, body: json<AddressLines>() })
export type CustomerAddress = RowOf<typeof AddressRow>

/** The addresses of customers, oldest first. */
export async function listCustomerAddresses(
  q: Queries,
  storeId: number,
  customerIds: string[]
): Promise<CustomerAddress[]> {
  return q.many(
    AddressRow,
    sql`
    select id::text as id, customer_id::text as customer_id, is_default, body from sandbox.customer_addresses
     where store_id = ${storeId} and customer_id = any(${customerIds}::bigint[]) order by customer_addresses.id`
  )
}

export async function findCustomerAddress(q: Queries, storeId: number, id: string): Promise<CustomerAddress | null> {
  return q.maybeOne(
    AddressRow,
    sql`
    select id::text as id, customer_id::text as customer_id, is_default, body from sandbox.customer_addresses
     where store_id = ${storeId} and id = ${id}`
  )
}

/** The first address of a customer is the default one. Returns its id. */
export async function insertCustomerAddress(
  q: Queries,
  storeId: number,
  customerId: string,
  body: AddressLines
): Promise<string> {
  const { id } = await q.one(
    row({ id: text }),
    sql`
    insert into sandbox.customer_addresses (store_id, customer_id, is_default, body)
    values (${storeId}, ${customerId},
            not exists (select from sandbox.customer_addresses where store_id = ${storeId} and customer_id = ${customerId}),
            ${JSON.stringify(body)})
    returning id::text as id`
  )
  return id
}

export async function updateCustomerAddress(q: Queries, storeId: number, id: string, body: AddressLines) {
  await q.run(sql`
    update sandbox.customer_addresses set body = ${JSON.stringify(body)} where store_id = ${storeId} and id = ${id}`)
}

/** Makes one of a customer's addresses the default one, and keeps the customer's country, which prices and taxes follow. */
export async function makeDefaultAddress(q: Queries, storeId: number, customerId: string, id: string) {
  await q.run(sql`
    update sandbox.customer_addresses set is_default = (id = ${id})
     where store_id = ${storeId} and customer_id = ${customerId}`)
  await keepCountry(q, storeId, customerId)
}

/** The country of a customer is that of the default address. */
export async function keepCountry(q: Queries, storeId: number, customerId: string) {
  await q.run(sql`
    update sandbox.customers c set country = a.body->>'countryCode', province = a.body->>'provinceCode'
      from sandbox.customer_addresses a
     where c.store_id = ${storeId} and c.id = ${customerId} and a.store_id = ${storeId} and a.customer_id = c.id and a.is_default`)
}

/** Deletes addresses of a customer; the oldest that stays becomes the default one if that is gone. */
export async function deleteCustomerAddresses(q: Queries, storeId: number, customerId: string, ids: string[]) {
  await q.run(sql`
    delete from sandbox.customer_addresses
     where store_id = ${storeId} and customer_id = ${customerId} and id = any(${ids}::bigint[])`)
  const left = await listCustomerAddresses(q, storeId, [customerId])
  if (left[0] && !left.some(({ isDefault }) => isDefault)) {
    await makeDefaultAddress(q, storeId, customerId, left[0].id)
  }
}
