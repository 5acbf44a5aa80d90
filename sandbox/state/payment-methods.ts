import { instant, int, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const PaymentMethodRow = row({
  id: text,
  customerId: text,
  brand: text,
  lastDigits: text,
  expiryMonth: int,
  expiryYear: int,
  holder: text,
  revokedAt: nullable(instant),
  revokedReason: nullable(text),
  createdAt: instant
})
export type PaymentMethod = RowOf<typeof PaymentMethodRow> & { __typename: 'CustomerPaymentMethod' }
export type Card = Pick<PaymentMethod, 'brand' | 'lastDigits' | 'expiryMonth' | 'expiryYear' | 'holder'>

const asMethod = (found: RowOf<typeof PaymentMethodRow>): PaymentMethod => ({
  __typename: 'CustomerPaymentMethod',
  ...found
})

export async function findPaymentMethods(q: Queries, storeId: number, tokens: string[]): Promise<PaymentMethod[]> {
  const rows = await q.many(
    PaymentMethodRow,
    sql`
    select token as id, customer_id::text as customer_id, brand, last_digits, expiry_month, expiry_year, holder, revoked_at,
           revoked_reason, created_at
      from sandbox.payment_methods where store_id = ${storeId} and token = any(${tokens}::text[])`
  )
  return rows.map(asMethod)
}

/** All payment methods of the customers, including revoked ones, newest first. */
export async function listPaymentMethods(q: Queries, storeId: number, customerIds: string[]): Promise<PaymentMethod[]> {
  const rows = await q.many(
    PaymentMethodRow,
    sql`
    select token as id, customer_id::text as customer_id, brand, last_digits, expiry_month, expiry_year, holder, revoked_at,
           revoked_reason, created_at
      from sandbox.payment_methods where store_id = ${storeId} and customer_id = any(${customerIds}::bigint[])
     order by created_at desc, token`
  )
  return rows.map(asMethod)
}

/** Stores a card. Null if the token already exists. */
export async function insertPaymentMethod(
  q: Queries,
  storeId: number,
  input: Card & { token: string; customerId: string },
  now: Temporal.Instant
): Promise<PaymentMethod | null> {
  const found = await q.maybeOne(
    PaymentMethodRow,
    sql`
    insert into sandbox.payment_methods (store_id, token, customer_id, brand, last_digits, expiry_month, expiry_year, holder,
                                         created_at)
    values (${storeId}, ${input.token}, ${input.customerId}, ${input.brand}, ${input.lastDigits}, ${input.expiryMonth},
            ${input.expiryYear}, ${input.holder}, ${now})
    on conflict do nothing
    returning token as id, customer_id::text as customer_id, brand, last_digits, expiry_month, expiry_year, holder,
              revoked_at, revoked_reason, created_at`
  )
  return found && asMethod(found)
}

/** Replaces the card of every payment method of the customer; returns those that changed. */
export async function replaceCard(
  q: Queries,
  storeId: number,
  customerId: string,
  lastDigits: string
): Promise<PaymentMethod[]> {
  const rows = await q.many(
    PaymentMethodRow,
    sql`
    update sandbox.payment_methods set last_digits = ${lastDigits}
     where store_id = ${storeId} and customer_id = ${customerId} and revoked_at is null and last_digits <> ${lastDigits}
    returning token as id, customer_id::text as customer_id, brand, last_digits, expiry_month, expiry_year, holder,
              revoked_at, revoked_reason, created_at`
  )
  return rows.map(asMethod)
}

/** Revokes all payment methods of the customer; returns those that were valid. */
export async function revokeMethods(
  q: Queries,
  storeId: number,
  customerId: string,
  reason: string,
  now: Temporal.Instant
): Promise<PaymentMethod[]> {
  const rows = await q.many(
    PaymentMethodRow,
    sql`
    update sandbox.payment_methods set revoked_at = ${now}, revoked_reason = ${reason}
     where store_id = ${storeId} and customer_id = ${customerId} and revoked_at is null
    returning token as id, customer_id::text as customer_id, brand, last_digits, expiry_month, expiry_year, holder,
              revoked_at, revoked_reason, created_at`
  )
  return rows.map(asMethod)
}

/** Revokes one payment method; null if it was revoked before. */
export async function revokeMethod(
  q: Queries,
  storeId: number,
  token: string,
  reason: string,
  now: Temporal.Instant
): Promise<PaymentMethod | null> {
  const found = await q.maybeOne(
    PaymentMethodRow,
    sql`
    update sandbox.payment_methods set revoked_at = ${now}, revoked_reason = ${reason}
     where store_id = ${storeId} and token = ${token} and revoked_at is null
    returning token as id, customer_id::text as customer_id, brand, last_digits, expiry_month, expiry_year, holder,
              revoked_at, revoked_reason, created_at`
  )
  return found && asMethod(found)
}
