import { instant, int, nullable, oneOf, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const Checkout = row({
  challenge: text,
  customerId: text,
  sellingPlanId: text,
  amountMinor: int,
  currency: text,
  status: oneOf('open', 'paid', 'refused', 'expired'),
  contractId: nullable(text),
  createdAt: instant
})
/** A checkout that waits for the customer's confirmation at the bank, or waited for it. */
export type Checkout = RowOf<typeof Checkout>

export type NewCheckout = Pick<Checkout, 'challenge' | 'customerId' | 'sellingPlanId' | 'amountMinor' | 'currency'>

export async function insertCheckout(
  q: Queries,
  storeId: number,
  checkout: NewCheckout,
  now: Temporal.Instant
): Promise<void> {
  const { challenge, customerId, sellingPlanId, amountMinor, currency } = checkout
  await q.run(sql`
    insert into sandbox.checkouts
           (store_id, challenge, customer_id, selling_plan_id, amount_minor, currency, created_at)
    values (${storeId}, ${challenge}, ${customerId}, ${sellingPlanId}, ${amountMinor}, ${currency}, ${now})`)
}

export function findCheckout(q: Queries, storeId: number, challenge: string): Promise<Checkout | null> {
  return q.maybeOne(
    Checkout,
    sql`
    select challenge, customer_id::text as customer_id, selling_plan_id::text as selling_plan_id,
           amount_minor, currency, status, contract_id::text as contract_id, created_at
      from sandbox.checkouts where store_id = ${storeId} and challenge = ${challenge}`
  )
}

/** The newest checkouts of a customer that nobody has decided, begun after `since`. */
export function listUndecidedCheckouts(
  q: Queries,
  storeId: number,
  customerId: string,
  since: Temporal.Instant
): Promise<Checkout[]> {
  return q.many(
    Checkout,
    sql`
    select challenge, customer_id::text as customer_id, selling_plan_id::text as selling_plan_id,
           amount_minor, currency, status, contract_id::text as contract_id, created_at
      from sandbox.checkouts
     where store_id = ${storeId} and customer_id = ${customerId} and status in ('open', 'expired') and created_at > ${since}
     order by created_at desc limit 5`
  )
}

/** One by its challenge, held until the transaction ends, so that concurrent requests decide only once. */
export function lockCheckout(q: Queries, storeId: number, challenge: string): Promise<Checkout | null> {
  return q.maybeOne(
    Checkout,
    sql`
    select challenge, customer_id::text as customer_id, selling_plan_id::text as selling_plan_id,
           amount_minor, currency, status, contract_id::text as contract_id, created_at
      from sandbox.checkouts where store_id = ${storeId} and challenge = ${challenge} for update`
  )
}

export async function closeCheckout(
  q: Queries,
  storeId: number,
  challenge: string,
  { status, contractId }: Pick<Checkout, 'status' | 'contractId'>
): Promise<void> {
  await q.run(sql`
    update sandbox.checkouts set status = ${status}, contract_id = ${contractId}
     where store_id = ${storeId} and challenge = ${challenge}`)
}
