import { int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import type { Platform } from '../http.ts'

const Charge = row({
  contractId: text,
  cycleIndex: int,
  attemptId: text,
  idempotencyKey: text,
  orderId: nullable(text),
  amountMinor: int
})
export type Charge = RowOf<typeof Charge>

/** All paid renewals, oldest first, for audits to compare with the service's records. */
export function listCharges({ db }: Platform, storeId: number): Promise<Charge[]> {
  return db.direct.many(
    Charge,
    sql`
    select a.contract_id::text as contract_id, a.cycle_index, a.id::text as attempt_id, a.idempotency_key,
           a.order_id::text as order_id, coalesce(o.total_minor, 0) as amount_minor
      from sandbox.billing_attempts a
      left join sandbox.orders o on o.store_id = ${storeId} and o.id = a.order_id
     where a.store_id = ${storeId} and a.status = 'succeeded' order by a.id`
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
           (select count(*) from sandbox.billing_attempts where store_id = ${storeId} and status = 'succeeded') as charges,
           (select count(*) from sandbox.orders where store_id = ${storeId}) as orders,
           (select count(*) from sandbox.webhook_messages where store_id = ${storeId} and status = 'waiting') as webhooks_waiting,
           (select count(*) from sandbox.webhook_messages where store_id = ${storeId} and status = 'failed') as webhooks_failed`
  )
}
