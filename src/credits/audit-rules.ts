import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const creditBalancesSum = defineAuditRule({
  name: 'credit_balances_sum',
  severity: 'finding',
  help: 'A balance of store credit is not the sum of its entries, or not that of its unspent lots. Was a table changed by hand?',
  counted: (ctx) => sql`select count(*) as count from credit_accounts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with summed as (
      select member_id, sum(amount_minor) as sum, count(*) as entries from credit_entries
       where store_id = ${ctx.storeId} group by member_id),
    lots as (
      select member_id, sum(remaining_minor) as sum from credit_lots where store_id = ${ctx.storeId} group by member_id),
    accounts as (select member_id, balance_minor, entries from credit_accounts where store_id = ${ctx.storeId})
    select 'cust_' || coalesce(a.member_id, s.member_id, l.member_id) as subject,
           'has a credit balance of ' || coalesce('{{' || a.balance_minor || '}}', 'none') || ' in ' || coalesce(a.entries, 0)
             || ' entries; its entries sum to {{' || coalesce(s.sum, 0) || '}} in ' || coalesce(s.entries, 0)
             || ', its lots to {{' || coalesce(l.sum, 0) || '}}' as message
      from accounts a full join summed s on s.member_id = a.member_id
      full join lots l on l.member_id = coalesce(a.member_id, s.member_id)
     where a.balance_minor is distinct from coalesce(s.sum, 0) or a.entries is distinct from coalesce(s.entries, 0)
        or coalesce(l.sum, 0) <> a.balance_minor
     order by 1 limit 100`
})

export const creditEntriesChained = defineAuditRule({
  name: 'credit_entries_chained',
  severity: 'finding',
  help: 'The entries of a credit account, added up one by one, give other balances than they carry.',
  counted: (ctx) => sql`select count(*) as count from credit_entries where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select 'sct_' || id as subject,
           'is entry ' || position || ' of cust_' || member_id || ' with {{' || balance_after_minor
             || '}} after it; counted again it is entry ' || nth || ' with {{' || running || '}}' as message
      from (select id, member_id, position, balance_after_minor,
                   row_number() over w as nth, sum(amount_minor) over w as running
              from credit_entries where store_id = ${ctx.storeId} window w as (partition by member_id order by id)) e
     where position <> nth or balance_after_minor <> running
     order by id limit 100`
})

export const creditEventsComplete = defineAuditRule({
  name: 'credit_events_complete',
  severity: 'finding',
  help: 'An entry of store credit has no event `store_credit.added` or `store_credit.deducted`, or more than one.',
  counted: (ctx) => sql`
    select count(*) as count from facts
     where store_id = ${ctx.storeId} and name in ('store_credit.added', 'store_credit.deducted')`,
  wrong: (ctx) => sql`
    with recorded as (
      select data::jsonb ->> 'transaction_id' as entry, count(*) filter (where name = 'store_credit.added') as added,
             count(*) filter (where name = 'store_credit.deducted') as deducted
        from facts where store_id = ${ctx.storeId} and name in ('store_credit.added', 'store_credit.deducted')
       group by 1),
    entries as (select 'sct_' || id as id, amount_minor, created_at from credit_entries where store_id = ${ctx.storeId})
    select coalesce(e.id, r.entry) as subject,
           'moves ' || coalesce('{{' || e.amount_minor || '}}', 'nothing') || ', recorded as added '
             || coalesce(r.added, 0) || ' and as deducted ' || coalesce(r.deducted, 0) || ' times' as message
      from entries e full join recorded r on r.entry = e.id
     where (coalesce(r.added, 0) <> case when e.amount_minor > 0 then 1 else 0 end
            or coalesce(r.deducted, 0) <> case when e.amount_minor < 0 then 1 else 0 end)
       and (e.id is null
            or e.created_at > coalesce((select complete_since from fact_history where store_id = ${ctx.storeId}), '-infinity'))
     order by 1 limit 100`
})

export const creditTotalsSum = defineAuditRule({
  name: 'credit_totals_sum',
  severity: 'finding',
  help: 'The running totals of a credit account (charged, used, refunded, disputed, forfeit, reconciled) are not the sums of its entries.',
  counted: (ctx) => sql`select count(*) as count from credit_accounts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with accounts as (select * from credit_accounts where store_id = ${ctx.storeId}),
    entries as (select member_id, position, type, amount_minor from credit_entries where store_id = ${ctx.storeId}),
    summed as (
      select e.member_id,
             coalesce(sum(amount_minor) filter (where type in (1, 10, 11, 12)), 0) as charged,
             coalesce(-sum(amount_minor) filter (where type in (4, 5)), 0) as used,
             coalesce(-sum(amount_minor) filter (where type = 6), 0) as refunded,
             coalesce(-sum(amount_minor) filter (where type = 13), 0) as disputed,
             coalesce(-sum(amount_minor) filter (where type in (7, 8)), 0) as forfeit,
             coalesce(sum(amount_minor) filter (where type in (2, 3, 9)), 0) as reconciled,
             sum(amount_minor) as balance
        from entries e join accounts a on a.member_id = e.member_id and e.position <= a.totalled_entries
       group by e.member_id)
    select 'cust_' || a.member_id as subject,
           'has the credit totals {{' || concat_ws('}}, {{', a.charged_minor, a.used_minor, a.refunded_minor, a.disputed_minor,
             a.forfeit_minor, a.reconciled_minor) || '}} after ' || a.totalled_entries || ' entries; they sum to {{'
             || concat_ws('}}, {{', coalesce(s.charged, 0), coalesce(s.used, 0), coalesce(s.refunded, 0),
                          coalesce(s.disputed, 0), coalesce(s.forfeit, 0), coalesce(s.reconciled, 0))
             || '}} (charged, used, refunded, disputed, forfeit, reconciled)' as message
      from accounts a left join summed s on s.member_id = a.member_id
     where (a.charged_minor, a.used_minor, a.refunded_minor, a.disputed_minor, a.forfeit_minor, a.reconciled_minor)
           <> (coalesce(s.charged, 0), coalesce(s.used, 0), coalesce(s.refunded, 0), coalesce(s.disputed, 0),
               coalesce(s.forfeit, 0), coalesce(s.reconciled, 0))
        or a.totalled_entries > a.entries
        or a.charged_minor - a.used_minor - a.refunded_minor - a.disputed_minor - a.forfeit_minor + a.reconciled_minor
           <> coalesce(s.balance, 0)
     order by 1 limit 100`
})

export const creditReservationsConsistent = defineAuditRule({
  name: 'credit_reservations_consistent',
  severity: 'finding',
  help: 'What a credit account or one of its lots has reserved is not what its open reservations hold.',
  counted: (ctx) => sql`select count(*) as count from credit_reservations where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with open as (
      select id, member_id, amount_minor, lots, minors from credit_reservations
       where store_id = ${ctx.storeId} and status = 'reserved'),
    held as (
      select h.entry_id, sum(h.minor) as minor from open o cross join lateral unnest(o.lots, o.minors) as h(entry_id, minor)
       group by h.entry_id),
    lots as (select entry_id, member_id, reserved_minor from credit_lots where store_id = ${ctx.storeId} and reserved_minor > 0),
    reserved as (select member_id, sum(amount_minor) as minor from open group by member_id),
    accounts as (select member_id, reserved_minor from credit_accounts where store_id = ${ctx.storeId})
    select subject, message from (
      select 'cust_' || coalesce(a.member_id, r.member_id) as subject,
             'has {{' || coalesce(a.reserved_minor, 0) || '}} of credit reserved; the open reservations hold {{'
               || coalesce(r.minor, 0) || '}}' as message
        from accounts a full join reserved r on r.member_id = a.member_id
       where coalesce(a.reserved_minor, 0) <> coalesce(r.minor, 0)
      union all
      select 'sct_' || coalesce(l.entry_id, h.entry_id),
             'has {{' || coalesce(l.reserved_minor, 0) || '}} of its rest reserved; the open reservations hold {{'
               || coalesce(h.minor, 0) || '}} of it'
        from lots l full join held h on h.entry_id = l.entry_id
       where coalesce(l.reserved_minor, 0) <> coalesce(h.minor, 0)
      union all
      select 'scr_' || o.id, 'reserves {{' || o.amount_minor || '}} and holds {{' || sum(h.minor) || '}} of lots'
        from open o cross join lateral unnest(o.minors) as h(minor)
       group by o.id, o.amount_minor having sum(h.minor) <> o.amount_minor) w
     order by 1 limit 100`
})

export const creditCapturesEntered = defineAuditRule({
  name: 'credit_captures_entered',
  severity: 'finding',
  help: 'A captured reservation of store credit has no redemption of its amount in the ledger, or an aborted one has an entry.',
  counted: (ctx) => sql`
    select count(*) as count from credit_reservations where store_id = ${ctx.storeId} and status <> 'reserved'`,
  wrong: (ctx) => sql`
    with ended as (
      select id, member_id, status, captured_minor from credit_reservations
       where store_id = ${ctx.storeId} and status <> 'reserved'),
    entries as (
      select id, member_id, type, amount_minor, operation_id from credit_entries
       where store_id = ${ctx.storeId} and operation_id like 'reservation:%')
    select 'scr_' || r.id as subject,
           'is ' || r.status || coalesce(' with {{' || r.captured_minor || '}}', '') || '; its entry moves '
             || coalesce('{{' || e.amount_minor || '}}', 'nothing') as message
      from ended r left join entries e on e.operation_id = 'reservation:' || r.id
     where (r.status = 'captured' and (e.id is null or e.type <> 4 or -e.amount_minor <> r.captured_minor
                                       or e.member_id <> r.member_id))
        or (r.status = 'aborted' and e.id is not null)
     order by r.id limit 100`
})

export const creditReversalsWithin = defineAuditRule({
  name: 'credit_reversals_within',
  severity: 'finding',
  help: 'More store credit was taken back than an entry had issued, or more was restored than an entry had deducted.',
  counted: (ctx) => sql`
    select count(*) as count from credit_entries where store_id = ${ctx.storeId} and reverses_id is not null`,
  wrong: (ctx) => sql`
    with entries as (
      select id, amount_minor, reverses_id from credit_entries where store_id = ${ctx.storeId}),
    reversals as (
      select e.reverses_id, e.amount_minor + coalesce(sum(b.amount_minor), 0) as minor
        from entries e left join entries b on b.reverses_id = e.id
       where e.reverses_id is not null group by e.id, e.reverses_id, e.amount_minor),
    summed as (select reverses_id, sum(minor) as minor from reversals group by reverses_id)
    select 'sct_' || e.id as subject,
           'moves {{' || e.amount_minor || '}} and the entries that reverse it {{' || s.minor || '}}' as message
      from summed s join entries e on e.id = s.reverses_id
     where s.minor * sign(e.amount_minor) > 0 or abs(s.minor) > abs(e.amount_minor)
     order by e.id limit 100`
})

export const creditRedemptionsCovered = defineAuditRule({
  name: 'credit_redemptions_covered',
  severity: 'warning',
  help: 'An order was placed with more store credit than the customer had here. What was missing is the shortfall of the entry. Does the platform know another balance? `perennial credit reconcile` sets the right one.',
  counted: (ctx) => sql`
    select count(*) as count from credit_entries where store_id = ${ctx.storeId} and type = 4`,
  wrong: (ctx) => sql`
    select 'sct_' || id as subject,
           'redeems {{' || -amount_minor || '}} on ' || coalesce('ord_' || order_id, 'an unknown order')
             || '; the order used {{' || shortfall_minor || '}} more' as message
      from credit_entries
     where store_id = ${ctx.storeId} and type = 4 and shortfall_minor > 0
     order by id limit 100`
})

export const creditShortfallsCollected = defineAuditRule({
  name: 'credit_shortfalls_collected',
  severity: 'finding',
  help:
    'A refund, dispute or forfeit could not take store credit that a reservation held, and it was not taken when the reservation gave it back; or more was ' +
    'taken than was missing. An older version that ran beside this one leaves that: what the customer is not to keep can be deducted by hand.',
  counted: (ctx) => sql`
    select count(*) as count from credit_entries
     where store_id = ${ctx.storeId} and type in (6, 7, 13) and shortfall_minor > 0`,
  wrong: (ctx) => sql`
    with entries as (
      select id, type, amount_minor, shortfall_minor, operation_id, held_by, take_back_id from credit_entries
       where store_id = ${ctx.storeId} and shortfall_minor <> 0),
    later as (
      select take_back_id, sum(shortfall_minor) as minor from entries where take_back_id is not null group by take_back_id),
    lacking as (
      select e.id, e.held_by, e.shortfall_minor + coalesce(l.minor, 0) as minor
        from entries e left join later l on l.take_back_id = e.id
       where e.type in (6, 7, 13) and e.take_back_id is null),
    held as (select l.id, l.minor, h.reservation_id from lacking l cross join lateral unnest(l.held_by) as h(reservation_id) where l.minor > 0),
    ended as (
      select r.id, r.ended_at, coalesce(r.captured_minor, 0) as captured, p.lot_id, p.minor,
             sum(p.minor) over (partition by r.id order by p.nth) as until
        from credit_reservations r
       cross join lateral unnest(r.lots, r.minors) with ordinality as p(lot_id, minor, nth)
       where r.store_id = ${ctx.storeId} and r.status <> 'reserved' and r.id in (select reservation_id from held)),
    given as (
      select e.id, sum(least(e.minor, greatest(0, e.until - e.captured))) as minor
        from ended e join credit_entries l on l.store_id = ${ctx.storeId} and l.id = e.lot_id
       where l.expires_at is null or l.expires_at > e.ended_at
       group by e.id),
    collected as (
      select g.id, coalesce(sum(-t.amount_minor), 0) as minor
        from given g
        left join entries t on t.take_back_id is not null and t.operation_id = 'ended:' || g.id || ':' || t.take_back_id
       group by g.id)
    select subject, message from (
      select 'sct_' || h.id as subject,
             'lacks ' || h.minor || '; scr_' || g.id || ' held credit then and gave back ' || g.minor || ', of which ' || c.minor
               || ' were taken (minor units)' as message
        from held h join given g on g.id = h.reservation_id join collected c on c.id = g.id
       where c.minor < g.minor
      union all
      select 'sct_' || l.id, 'lacks ' || l.minor || ' (minor units)' from lacking l where l.minor < 0) w
     order by 1, 2 limit 100`
})

export const creditOfMergedCustomers = defineAuditRule({
  name: 'credit_of_merged_customers',
  severity: 'finding',
  help: 'A customer whom the platform has merged into another still has store credit here, where nobody can spend it. It moves to the customer who was kept within a day, and at once by `perennial credit reconcile`.',
  counted: (ctx) => sql`
    select count(*) as count from members where store_id = ${ctx.storeId} and merged_into is not null`,
  wrong: (ctx) => sql`
    with merged as (
      select id, merged_into from members where store_id = ${ctx.storeId} and merged_into is not null),
    accounts as (select member_id, balance_minor from credit_accounts where store_id = ${ctx.storeId}),
    lots as (
      select member_id, sum(remaining_minor) as minor,
             -- What is past its date expires where it is.
             coalesce(sum(remaining_minor - reserved_minor) filter (where expires_at <= ${ctx.now}), 0) as due
        from credit_lots where store_id = ${ctx.storeId} group by member_id)
    select 'cust_' || m.id as subject,
           'was merged into cust_' || m.merged_into || ' and has {{' || coalesce(a.balance_minor, 0)
             || '}} of store credit, {{' || coalesce(l.minor, 0) || '}} of it in lots' as message
      from merged m left join accounts a on a.member_id = m.id left join lots l on l.member_id = m.id
     where greatest(a.balance_minor, l.minor) > coalesce(l.due, 0)
     order by m.id limit 100`
})
