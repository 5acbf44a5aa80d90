import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'
import { CONTRADICTIONS, PECULIARITIES } from './discrepancies.ts'

/** The messages of one refund do not come at once. */
const MINUTES_UNTIL_WHOLE = 30
/** Failures in a row before a person should look. */
const MAX_FAILURES = 5

export const orderRefundsAddUp = defineAuditRule({
  name: 'order_refunds_add_up',
  severity: 'finding',
  help:
    'The refunds of an order do not add up to what the order says was paid back, or the changes that the metrics count do not. ' +
    '`perennial orders import` reads it again.',
  counted: (ctx) =>
    sql`select count(*) as count from orders where store_id = ${ctx.storeId} and details_at is not null`,
  wrong: (ctx) => sql`
    select 'order ' || o.platform_order_id as subject,
           'says that {{' || o.refunded_minor || ' ' || o.currency || '}} were paid back, its refunds {{' || coalesce(r.amount, 0)
             || ' ' || o.currency || '}}, the metrics {{' || coalesce(m.amount, 0) || ' ' || o.currency || '}}' as message
      from orders o
      left join (select order_id, sum(amount_minor) as amount from platform_refunds
                  where store_id = ${ctx.storeId} group by order_id) r on r.order_id = o.id
      left join (select order_id, sum(amount_minor) as amount from order_refunds
                  where store_id = ${ctx.storeId} group by order_id) m on m.order_id = o.id
     where o.store_id = ${ctx.storeId} and o.details_at is not null
       and o.updated_at < ${ctx.now}::timestamptz - ${MINUTES_UNTIL_WHOLE} * interval '1 minute'
       and (o.refunded_minor <> coalesce(r.amount, 0) or o.refunded_minor <> coalesce(m.amount, 0))
     order by o.id limit 100`
})

export const ordersNotOverRefunded = defineAuditRule({
  name: 'orders_not_over_refunded',
  severity: 'finding',
  help: 'More was paid back than the order cost, or it cost less than nothing. Compare it with the platform; it may have been edited after a refund.',
  counted: (ctx) => sql`select count(*) as count from orders where store_id = ${ctx.storeId} and refunded_minor <> 0`,
  wrong: (ctx) => sql`
    select 'order ' || platform_order_id as subject,
           'cost {{' || total_minor || ' ' || currency || '}}, and {{' || refunded_minor || ' ' || currency
             || '}} were paid back' as message
      from orders
     where store_id = ${ctx.storeId} and (refunded_minor > total_minor or total_minor < 0 or refunded_minor < 0)
     order by id limit 100`
})

export const orderMessagesAgree = defineAuditRule({
  name: 'order_messages_agree',
  severity: 'finding',
  help:
    'The platform reported something about an order that contradicts what it reported before, and reading the order has not settled ' +
    'it yet. The first report counts meanwhile. `perennial orders import` reads the order again.',
  counted: (ctx) => sql`
    select count(*) as count from order_discrepancies
     where store_id = ${ctx.storeId} and settled_at is null and kind = any(${[...CONTRADICTIONS]}::text[])`,
  wrong: (ctx) => sql`
    select subject, message from order_discrepancies
     where store_id = ${ctx.storeId} and settled_at is null and kind = any(${[...CONTRADICTIONS]}::text[])
     order by id limit 100`
})

export const ordersAsUsual = defineAuditRule({
  name: 'orders_as_usual',
  severity: 'warning',
  help: 'An order is in another currency than the store, or has a line with a negative quantity or price. It is recorded as it is.',
  counted: (ctx) => sql`
    select count(*) as count from order_discrepancies
     where store_id = ${ctx.storeId} and settled_at is null and kind = any(${[...PECULIARITIES]}::text[])`,
  wrong: (ctx) => sql`
    select subject, message from order_discrepancies
     where store_id = ${ctx.storeId} and settled_at is null and kind = any(${[...PECULIARITIES]}::text[])
     order by id limit 100`
})

export const ordersWalked = defineAuditRule({
  name: 'orders_walked',
  severity: 'finding',
  help:
    'Reading the orders that changed on the platform, or an import of orders, failed five times in a row, or has not gone on for two ' +
    'days. The finding has the last error.',
  counted: (ctx) => sql`select count(*) as count from order_walks where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select w.kind as subject,
           case when w.failures >= ${MAX_FAILURES}
                then 'failed ' || w.failures || ' times in a row: ' || coalesce(w.last_error, '')
                else 'was due at ' || w.next_at || ' and did not go on' end as message
      from order_walks w join stores s on s.store_id = ${ctx.storeId}
     where w.store_id = ${ctx.storeId} and s.status = 'active'
       and (w.failures >= ${MAX_FAILURES} or w.next_at < statement_timestamp() - interval '2 days')
     order by w.kind limit 100`
})
