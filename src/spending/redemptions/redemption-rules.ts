import { defineAuditRule } from '#kit/define-audit-rule'
import { type Ctx, type Statement, sql } from '#kit/postgres'
import { CREDIT_CODE_FORM } from '../codes/code-form.ts'
import { ACCOUNT_OPERATIONS } from '../platform-account/account-operations.ts'

/** Tries in a row without an answer before a person should look: they are seconds and then minutes apart. */
const MAX_ATTEMPTS = 3

export const creditCodesReserved = defineAuditRule({
  name: 'credit_codes_reserved',
  severity: 'finding',
  help:
    'A discount code that spends store credit can be used, and no reservation holds its amount; or a code is over and its reservation holds ' +
    'credit all the same.',
  counted: (ctx) => sql`select count(*) as count from credit_codes where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with codes as (
      select id, reservation_id, amount_minor, status from credit_codes where store_id = ${ctx.storeId}),
    held as (
      select id, amount_minor, status from credit_reservations where store_id = ${ctx.storeId})
    select 'scc_' || c.id as subject,
           'is ' || c.status || ' over {{' || c.amount_minor || '}}; its reservation is ' || h.status || ' over {{'
             || h.amount_minor || '}}' as message
      from codes c join held h on h.id = c.reservation_id
     where (c.status in ('pending', 'active') and (h.status <> 'reserved' or h.amount_minor <> c.amount_minor))
        or (c.status in ('used', 'ended', 'failed') and h.status = 'reserved')
     order by c.id limit 100`
})

export const creditCodesClosed = defineAuditRule({
  name: 'credit_codes_closed',
  severity: 'warning',
  help:
    'A discount code that spends store credit cannot be made, or cannot be taken off the platform when it is over. Its credit stays reserved until ' +
    'the platform says that nobody has used it. The message says why; an [access scope](#access-scopes) may be missing.',
  counted: (ctx) =>
    sql`select count(*) as count from credit_codes where store_id = ${ctx.storeId} and due_at is not null`,
  wrong: (ctx) => sql`
    select 'scc_' || c.id as subject,
           'is ' || c.status || ' and not done with after ' || c.attempts || ' tries: ' || coalesce(c.last_error, 'it waits for its order')
             as message
      from credit_codes c
     where c.store_id = ${ctx.storeId} and c.due_at is not null and c.attempts > ${MAX_ATTEMPTS}
     order by c.id limit 100`
})

/** By the store's clock; an engine takes up what is due within seconds. */
const MAX_LATE_HOURS = 1
/** In real time, after what rests could be taken up again. */
const MAX_LATE_MINUTES = 10

export const creditCodesScheduled = defineAuditRule({
  name: 'credit_codes_scheduled',
  severity: 'finding',
  help:
    'A discount code that spends store credit is not over, and nothing is scheduled that would make it, end it or take it off the platform; or that has ' +
    'been due for more than an hour. Customers could use it after its time, or its credit stays reserved. Is the service running? Was a table changed by ' +
    'hand?',
  counted: (ctx) => sql`select count(*) as count from credit_codes where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with codes as (
      select id, status, closed_at, due_at, attempts,
             ${!ctx.isRestored}::boolean and due_at < ${ctx.now.subtract({ hours: MAX_LATE_HOURS })} and attempts <= ${MAX_ATTEMPTS}
               and (leased_until is null or leased_until < statement_timestamp())
               and (rests_until is null or rests_until < statement_timestamp() - ${MAX_LATE_MINUTES} * interval '1 minute')
               -- A disconnected store has no platform to work on.
               and exists (select from stores where store_id = ${ctx.storeId} and status = 'active') as is_late
        from credit_codes where store_id = ${ctx.storeId}),
    judged as (
      select id, status,
             case when status in ('ended', 'failed') and closed_at is null then 'was never taken off the platform'
                  when status = 'active' and closed_at is not null then 'is off the platform since ' || closed_at
                  when status in ('pending', 'active', 'ending') and due_at is null then 'has no next step'
                  when status = 'used' and closed_at is null and due_at is null then 'is to be taken off the platform, and nothing does'
                  when is_late then 'has been due since ' || due_at end as problem
        from codes)
    select 'scc_' || id as subject, 'is ' || status || ' and ' || problem as message
      from judged where problem is not null order by id limit 100`
})

export const discountsRedeemed = defineAuditRule({
  name: 'discounts_redeemed',
  severity: 'finding',
  help:
    'What a discount that spends store credit took off an order has no redemption of that amount in the ledger, or a code counts as used and no order ' +
    'has it. Of an order in another currency nobody can say how much it was: correct the balance by hand. While events about orders wait to be handled, ' +
    'orders are not checked.',
  counted: (ctx) => sql`select count(*) as count from discount_redemptions where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'spending') = 'spending')),
    redeemed as (
      select order_id, source, code_id, member_id, amount_minor, entry_id from discount_redemptions where store_id = ${ctx.storeId}),
    entries as (
      select id, order_id, type, amount_minor, shortfall_minor from credit_entries
       where store_id = ${ctx.storeId} and type = 4 and order_id is not null),
    used as (
      select id from credit_codes where store_id = ${ctx.storeId} and status = 'used'),
    carried as (
      select o.id, c ->> 'code' as code from orders o cross join lateral jsonb_array_elements(o.coupons) c
       where o.store_id = ${ctx.storeId} and c ->> 'code' ~* ${CREDIT_CODE_FORM} and (c ->> 'amountMinor')::bigint > 0)
    select subject, message from (
      select 'ord_' || r.order_id as subject,
             'had {{' || r.amount_minor || '}} taken off by ' || r.source || '; its entry '
               || coalesce('moved {{' || e.amount_minor || '}} with a shortfall of {{' || e.shortfall_minor || '}}', 'is missing')
               as message
        from redeemed r left join entries e on e.id = r.entry_id and e.order_id = r.order_id
       where coalesce(e.shortfall_minor - e.amount_minor, 0) <> r.amount_minor
      union all
      select 'scc_' || u.id, 'is used, and no order has it' from used u
       where not exists (select from redeemed r where r.code_id = u.id)
      union all
      select 'ord_' || c.id, 'carries ' || c.code || ', and the ledger has no redemption of it'
        from settled cross join carried c
       where not exists (select from redeemed r where r.order_id = c.id and r.source = upper(c.code))) w
     order by 1 limit 100`
})

export const redemptionsRestored = defineAuditRule({
  name: 'redemptions_restored',
  severity: 'finding',
  help:
    'Store credit that was spent on an order by a code, a discount function or a captured reservation was not given back with it: all of it when the ' +
    'order is cancelled, else the part that was refunded; or what was restored because of a cancelled order is not marked so. Of an order from before ' +
    'the service restored credit, that is done within a day; `perennial credit reconcile` does it now. While events about orders wait to be handled, ' +
    'it is not checked.',
  counted: (ctx) => sql`
    select count(*) as count from credit_entries where store_id = ${ctx.storeId} and type = 4 and order_id is not null`,
  wrong: (ctx) => wronglyRestored(ctx, 'too little')
})

export const redemptionsRestoredWithin = defineAuditRule({
  name: 'redemptions_restored_within',
  severity: 'warning',
  help:
    'More store credit was given back with an order than its refunds ask for: the platform has reported less of a refund later, or another total of the ' +
    'order. The customer keeps it; what is not to stay with them can be deducted by hand.',
  wrong: (ctx) => wronglyRestored(ctx, 'too much')
})

/**
 * Redemptions of which something else was restored than their orders ask for. With too little are those of cancelled orders that
 * are restored and not marked so. What was spent from an account of the platform is given back there: of that only the mark counts.
 */
function wronglyRestored(ctx: Ctx, how: 'too little' | 'too much'): Statement {
  const isTooLittle = how === 'too little'
  return sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'spending') = 'spending')),
    spent as (
      select id, order_id, -amount_minor as minor, operation_id like ${ACCOUNT_OPERATIONS} as is_of_account
        from credit_entries where store_id = ${ctx.storeId} and type = 4 and amount_minor < 0 and order_id is not null),
    reversed as (
      select reverses_id, sum(amount_minor) as minor, bool_or(mark is null) as is_unmarked from credit_entries
       where store_id = ${ctx.storeId} and reverses_id is not null group by reverses_id),
    asked as (
      select s.id, s.is_of_account, o.platform_order_id, o.cancelled_at is not null as is_cancelled, s.minor,
             coalesce(r.minor, 0) as restored, coalesce(r.is_unmarked, false) as is_unmarked,
             case when o.cancelled_at is not null then s.minor when o.total_minor <= 0 then 0
                  else floor(s.minor::numeric * least(o.refunded_minor, o.total_minor) / o.total_minor) end as wanted
        from spent s join orders o on o.store_id = ${ctx.storeId} and o.id = s.order_id
        left join reversed r on r.reverses_id = s.id)
    select 'sct_' || a.id as subject,
           'redeems {{' || a.minor || '}} on order ' || a.platform_order_id
             || case when ${isTooLittle}::boolean then ', which is ' || case when a.is_cancelled then 'cancelled' else 'refunded' end else '' end
             || '; {{' || a.restored || '}} were restored, and {{' || a.wanted || '}} are to be'
             || case when ${isTooLittle}::boolean and a.restored >= a.minor then ', marked as of a cancelled order' else '' end as message
      from settled cross join asked a
     where case when ${isTooLittle}::boolean
                then (a.restored < a.wanted and not a.is_of_account) or (a.is_cancelled and a.restored >= a.minor and a.is_unmarked)
                else a.restored > a.wanted and not a.is_of_account end
     order by a.id limit 100`
}
