import { bool, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import type { Platform } from '../http.ts'

const Charge = row({
  contractId: text,
  cycleIndex: int,
  /** The date of the billing period; null for an attempt of before 0002. */
  periodAt: nullable(instant),
  attemptId: text,
  idempotencyKey: text,
  orderId: text,
  amountMinor: int,
  currency: text,
  /** Wholly refunded or cancelled: nobody pays for it any more. */
  isUndone: bool
})
export type Charge = RowOf<typeof Charge>

/**
 * All effective charges of contracts, oldest first: each order that an attempt has placed, whatever the attempt is called now and
 * whatever its cycle's number is.
 */
export function listCharges({ db }: Platform, storeId: number): Promise<Charge[]> {
  return db.direct.many(
    Charge,
    sql`
    select a.contract_id::text as contract_id, a.cycle_index, a.period_at, a.id::text as attempt_id,
           coalesce(a.shown_key, a.idempotency_key) as idempotency_key, o.id::text as order_id,
           o.total_minor as amount_minor, o.currency,
           o.cancelled_at is not null or (o.refunded_minor > 0 and o.refunded_minor >= o.total_minor) as is_undone
      from sandbox.orders o
      join sandbox.billing_attempts a on a.store_id = ${storeId} and a.order_id = o.id
     where o.store_id = ${storeId} order by a.id`
  )
}

const Counts = row({
  customers: int,
  contracts: int,
  attempts: int,
  charges: int,
  orders: int,
  webhooksWaiting: int,
  webhooksFailed: int
})

/** The number of objects of each kind in a shop. */
export function countAll({ db }: Platform, storeId: number): Promise<RowOf<typeof Counts>> {
  return db.direct.one(
    Counts,
    sql`
    select (select count(*) from sandbox.customers where store_id = ${storeId}) as customers,
           (select count(*) from sandbox.contracts where store_id = ${storeId}) as contracts,
           (select count(*) from sandbox.billing_attempts where store_id = ${storeId}) as attempts,
           (select count(*) from sandbox.billing_attempts where store_id = ${storeId} and order_id is not null) as charges,
           (select count(*) from sandbox.orders where store_id = ${storeId}) as orders,
           (select count(*) from sandbox.webhook_messages where store_id = ${storeId} and status = 'waiting') as webhooks_waiting,
           (select count(*) from sandbox.webhook_messages where store_id = ${storeId} and status = 'failed') as webhooks_failed`
  )
}
