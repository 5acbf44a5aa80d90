import { instant, int, json, nullable, type Queries, type RowOf, row, sql, text, textList } from '#kit/postgres'

export type Consent = { state: string; optInLevel: string | null; updatedAt: string | null }

/** In lower case, as messages have it. */
export type AccountState = 'enabled' | 'disabled' | 'invited' | 'declined'

/** What was never set is missing. */
export type CustomerMore = {
  locale?: string
  taxExempt?: boolean
  taxExemptions?: string[]
  email?: Consent
  sms?: Consent
  whatsApp?: Consent
  /** Disabled while it is missing: nobody needs an account to buy. */
  accountState?: AccountState
  saleOptOut?: boolean
  erasureRequested?: boolean
}

const CustomerRow = row({
  id: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  phone: nullable(text),
  country: nullable(text),
  province: nullable(text),
  note: nullable(text),
  tags: textList,
  ordersCount: int,
  spentMinor: int,
  outcome: text,
  script: textList,
  more: json<CustomerMore>(),
  createdAt: instant,
  updatedAt: instant
})
export type Customer = RowOf<typeof CustomerRow> & { __typename: 'Customer' }

const asCustomer = (found: RowOf<typeof CustomerRow>): Customer => ({ __typename: 'Customer', ...found })

/** The existing customers among the ids, in no particular order. */
export async function findCustomers(q: Queries, storeId: number, ids: string[]): Promise<Customer[]> {
  const rows = await q.many(
    CustomerRow,
    sql`
    select id::text as id, email, first_name, last_name, phone, country, province, note, tags, orders_count, spent_minor,
           outcome, script, more, created_at, updated_at
      from sandbox.customers where store_id = ${storeId} and id = any(${ids}::bigint[]) and deleted_at is null`
  )
  return rows.map(asCustomer)
}

export async function findCustomer(q: Queries, storeId: number, id: string): Promise<Customer | null> {
  return (await findCustomers(q, storeId, [id]))[0] ?? null
}

/** By e-mail, ignoring case; an address is unique within a shop. */
export async function findCustomerByEmail(q: Queries, storeId: number, email: string): Promise<Customer | null> {
  const found = await q.maybeOne(
    CustomerRow,
    sql`
    select id::text as id, email, first_name, last_name, phone, country, province, note, tags, orders_count, spent_minor,
           outcome, script, more, created_at, updated_at
      from sandbox.customers where store_id = ${storeId} and lower(email) = lower(${email})`
  )
  return found && asCustomer(found)
}

export async function findCustomerByPhone(q: Queries, storeId: number, phone: string): Promise<Customer | null> {
  const found = await q.many(
    CustomerRow,
    sql`
    select id::text as id, email, first_name, last_name, phone, country, province, note, tags, orders_count, spent_minor,
           outcome, script, more, created_at, updated_at
      from sandbox.customers where store_id = ${storeId} and phone = ${phone} and deleted_at is null order by id limit 1`
  )
  return found[0] ? asCustomer(found[0]) : null
}

/** Newest first. */
export async function listCustomers(q: Queries, storeId: number, limit: number): Promise<Customer[]> {
  const rows = await q.many(
    CustomerRow,
    sql`
    select id::text as id, email, first_name, last_name, phone, country, province, note, tags, orders_count, spent_minor,
           outcome, script, more, created_at, updated_at
      from sandbox.customers where store_id = ${storeId} and deleted_at is null order by id desc limit ${limit}`
  )
  return rows.map(asCustomer)
}

export type NewCustomer = {
  id: string | null
  email: string | null
  firstName: string | null
  lastName: string | null
  phone: string | null
  country: string | null
  province: string | null
  note: string | null
  tags: string[]
  more?: CustomerMore
}

/** Null if the shop already has a customer with that id or e-mail. */
export async function insertCustomer(
  q: Queries,
  storeId: number,
  input: NewCustomer,
  now: Temporal.Instant
): Promise<Customer | null> {
  const found = await q.maybeOne(
    CustomerRow,
    sql`
    insert into sandbox.customers (store_id, id, email, first_name, last_name, phone, country, province, note, tags,
                                   more, created_at, updated_at)
    values (${storeId}, coalesce(${input.id}::bigint, nextval('sandbox.customer_ids')), ${input.email}, ${input.firstName},
            ${input.lastName}, ${input.phone}, ${input.country}, ${input.province}, ${input.note}, ${input.tags},
            ${JSON.stringify(input.more ?? {})}, ${now}, ${now})
    on conflict do nothing
    returning id::text as id, email, first_name, last_name, phone, country, province, note, tags, orders_count, spent_minor,
              outcome, script, more, created_at, updated_at`
  )
  return found && asCustomer(found)
}

export type CustomerChange = Pick<NewCustomer, 'email' | 'firstName' | 'lastName' | 'phone' | 'note' | 'tags'> & {
  more: CustomerMore
}

export async function updateCustomer(
  q: Queries,
  storeId: number,
  id: string,
  to: CustomerChange,
  now: Temporal.Instant
) {
  await q.run(sql`
    update sandbox.customers
       set email = ${to.email}, first_name = ${to.firstName}, last_name = ${to.lastName}, phone = ${to.phone},
           note = ${to.note}, tags = ${to.tags}, more = ${JSON.stringify(to.more)}, updated_at = ${now}
     where store_id = ${storeId} and id = ${id}`)
}

/** Marks customers as deleted: queries no longer return them, and their e-mail addresses can be reused. */
export async function deleteCustomers(q: Queries, storeId: number, ids: string[], now: Temporal.Instant) {
  await q.run(sql`
    update sandbox.customers set deleted_at = ${now}, email = null, updated_at = ${now}
     where store_id = ${storeId} and id = any(${ids}::bigint[]) and deleted_at is null`)
}

/** Sets the card's outcomes: those of `script` once each, then `outcome` for all later charges. */
export async function scriptCard(q: Queries, storeId: number, id: string, script: string[], outcome: string) {
  await q.run(sql`
    update sandbox.customers set script = ${script}, outcome = ${outcome}
     where store_id = ${storeId} and id = ${id}`)
}

/** How a customer is called: by name, else by e-mail address or telephone. */
export function displayNameOf({
  firstName,
  lastName,
  email,
  phone
}: Pick<Customer, 'firstName' | 'lastName' | 'email'> & { phone?: string | null }): string {
  return (
    [firstName, lastName].filter(Boolean).join(' ') ||
    email ||
    phone?.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '+1 $1-$2-$3') ||
    ''
  )
}

/** The number of customers of the shop. */
export async function countCustomers(q: Queries, storeId: number): Promise<number> {
  const { count } = await q.one(
    row({ count: int }),
    sql`select count(*)::int as count from sandbox.customers where store_id = ${storeId} and deleted_at is null`
  )
  return count
}
