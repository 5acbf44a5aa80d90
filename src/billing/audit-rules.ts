import { defineAuditRule, type Wrong } from '#kit/define-audit-rule'
import { instant, int, oneOf, row, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import { billingDate } from '#subscriptions'
import { HELD_CLASSES } from './dunning/decline-codes.ts'

export const cyclesChargedOnce = defineAuditRule({
  name: 'cycles_charged_once',
  severity: 'finding',
  help: 'A cycle has two successful attempts: someone was charged twice. Refund one on the platform.',
  counted: (ctx) =>
    sql`select count(*) as count from billing_attempts where store_id = ${ctx.storeId} and status = 'success'`,
  wrong: (ctx) => sql`
    select 'sub_' || subscription_id as subject,
           'cycle ' || cycle_index || ' has ' || count(*) || ' successful attempts' as message
      from billing_attempts where store_id = ${ctx.storeId} and status = 'success'
     group by subscription_id, cycle_index having count(*) > 1 limit 100`
})

export const attemptEventsComplete = defineAuditRule({
  name: 'attempt_events_complete',
  severity: 'finding',
  help: 'The events of an attempt do not match its state: receivers have wrong data.',
  counted: (ctx) => sql`select count(*) as count from billing_attempts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with recorded as (
      select data::jsonb ->> 'billing_attempt_id' as attempt,
             count(*) filter (where name = 'billing.pending') as pending,
             count(*) filter (where name = 'billing.success') as success,
             count(*) filter (where name = 'billing.failed') as failed
        from facts where store_id = ${ctx.storeId} and name in ('billing.pending', 'billing.success', 'billing.failed')
       group by 1)
    select 'ba_' || a.id as subject,
           'is ' || a.status || ', recorded as pending ' || coalesce(r.pending, 0) || ', success ' || coalesce(r.success, 0)
             || ', failed ' || coalesce(r.failed, 0) || ' times' as message
      from billing_attempts a left join recorded r on r.attempt = 'ba_' || a.id
     where a.store_id = ${ctx.storeId}
       and a.created_at > coalesce((select complete_since from fact_history where store_id = ${ctx.storeId}), '-infinity')
       and (coalesce(r.pending, 0) <> 1
            or coalesce(r.success, 0) <> case a.status when 'success' then 1 else 0 end
            -- A late success was recorded as failed before.
            or coalesce(r.failed, 0) <> case when a.status = 'failed' or a.late_success_at is not null then 1 else 0 end)
     order by a.id limit 100`
})

export const chargesNotMissed = defineAuditRule({
  name: 'charges_not_missed',
  severity: 'finding',
  help: 'A charge has been due for more than an hour and was not made. Is the service running? Does the log show errors of billing?',
  counted: (ctx) => sql`
    select count(*) as count from subscriptions where store_id = ${ctx.storeId} and billing_due_at is not null`,
  wrong: (ctx) => sql`
    select 'sub_' || id as subject, 'was due at ' || billing_due_at || ' and is not billed' as message
      from subscriptions where store_id = ${ctx.storeId} and billing_due_at < ${ctx.now.subtract({ hours: 1 })}
       -- A disconnected store cannot bill.
       and exists (select from stores where store_id = ${ctx.storeId} and status = 'active')
     order by billing_due_at limit 100`
})

export const activeSubscriptionsScheduled = defineAuditRule({
  name: 'active_subscriptions_scheduled',
  severity: 'finding',
  help: 'A subscription is active with no charge scheduled and no reason for that: it would never be billed.',
  counted: (ctx) =>
    sql`select count(*) as count from subscriptions where store_id = ${ctx.storeId} and status = 'active'`,
  wrong: (ctx) => sql`
    select 'sub_' || s.id as subject, 'is active with no charge ahead, none under way and none that failed' as message
      from subscriptions s
     where s.store_id = ${ctx.storeId} and s.status = 'active' and s.billing_due_at is null and s.declines = 0
       and not exists (select from billing_attempts a where a.store_id = ${ctx.storeId} and a.subscription_id = s.id
                        and (a.status = 'pending' or (a.status = 'failed' and a.cycle_index = s.next_cycle)))
     order by s.id limit 100`
})

export const outcomesKnown = defineAuditRule({
  name: 'outcomes_known',
  severity: 'finding',
  help:
    'An attempt has been pending for more than a week: the platform never reported its outcome, or a customer never ' +
    'confirmed a 3-D Secure payment.',
  counted: (ctx) =>
    sql`select count(*) as count from billing_attempts where store_id = ${ctx.storeId} and status = 'pending'`,
  wrong: (ctx) => sql`
    select 'ba_' || id as subject, 'has been pending since ' || scheduled_at as message
      from billing_attempts where store_id = ${ctx.storeId} and status = 'pending'
       and scheduled_at < ${ctx.now.subtract({ hours: 7 * 24 })}
     order by id limit 100`
})

export const cycleCreditsIssued = defineAuditRule({
  name: 'cycle_credits_issued',
  severity: 'finding',
  help:
    'A paid cycle did not issue the store credit of its plan, or another amount, or credit names a charge that is not paid. ' +
    'Is there an alert `credit_not_issued`?',
  counted: (ctx) => sql`
    select count(*) as count from billing_attempts where store_id = ${ctx.storeId} and credit_minor is not null`,
  wrong: (ctx) => sql`
    with due as (
      select 'charge:ba_' || id as operation, credit_minor from billing_attempts
       where store_id = ${ctx.storeId} and status = 'success' and credit_minor is not null),
    issued as (
      select operation_id as operation, amount_minor from credit_entries
       where store_id = ${ctx.storeId} and starts_with(operation_id, 'charge:ba_'))
    select replace(coalesce(d.operation, i.operation), 'charge:', '') as subject,
           'should issue ' || coalesce('{{' || d.credit_minor || '}} of', 'no') || ' store credit and issued '
             || coalesce('{{' || i.amount_minor || '}}', 'none') as message
      from due d full join issued i using (operation)
     where d.credit_minor is distinct from i.amount_minor
     order by 1 limit 100`
})

const Scheduled = row({
  id: int,
  anchorAt: instant,
  anchorCycle: int,
  nextCycle: int,
  nextBillingAt: instant,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int
})
const PAGE = 5_000
const MAX_FINDINGS = 100

export const datesOnAnchor = defineAuditRule({
  name: 'dates_on_anchor',
  severity: 'finding',
  help: 'A next billing date is not the one that the first day of the subscription gives.',
  // Dates whose cycle was tried already are those of retries. One whose time zone is outdated is rebased first.
  async check(ctx) {
    const { timezone, pastTimezones } = await storeContext(ctx)
    const wrong: Wrong[] = []
    let counted = 0
    for (let after = 0; ; ) {
      const page = await ctx.tx.many(
        Scheduled,
        sql`
        select id, anchor_at, anchor_cycle, next_cycle, next_billing_at, interval, interval_count
          from subscriptions s
         where store_id = ${ctx.storeId} and id > ${after} and status = 'active' and next_billing_at is not null
           and timezone_rebases = ${pastTimezones.length}
           and declines = 0 and inventory_failures = 0 and past_due_cycle is null
           and not exists (select from billing_attempts a
                            where a.store_id = ${ctx.storeId} and a.subscription_id = s.id and a.cycle_index = s.next_cycle)
         order by id limit ${PAGE}`
      )
      for (const s of page) {
        const expected = billingDate(s, s.nextCycle, timezone)
        if (expected.equals(s.nextBillingAt) || wrong.length >= MAX_FINDINGS) continue
        const message = `cycle ${s.nextCycle} is set for ${s.nextBillingAt}, its anchor says ${expected}`
        wrong.push({ subject: `sub_${s.id}`, message })
      }
      counted += page.length
      if (page.length < PAGE) return { counted, wrong }
      after = page.at(-1)!.id
    }
  }
})

export const chargedAfterStop = defineAuditRule({
  name: 'charged_after_stop',
  severity: 'warning',
  help: 'A charge turned out to be paid after its subscription had ended, and is not refunded. Refund it on the platform, or leave it.',
  wrong: (ctx) => sql`
    select 'ba_' || a.id as subject,
           'was paid after sub_' || a.subscription_id || ' had ended, and is not refunded' as message
      from billing_attempts a left join orders o on o.store_id = ${ctx.storeId} and o.id = a.order_id
     where a.store_id = ${ctx.storeId} and a.charged_after_stop and a.status = 'success'
       and coalesce(o.refunded_minor, 0) < a.amount_minor
     order by a.id limit 100`
})

export const chargedTwice = defineAuditRule({
  name: 'charged_twice',
  severity: 'warning',
  help:
    'A cycle was paid twice: by a charge that was reported as failed, under a key that the platform had forgotten, or by the ' +
    "shop's staff beside ours. The message has both; refund one on the platform.",
  wrong: (ctx) => sql`
    select 'ba_' || a.id as subject,
           'was paid (attempt ' || coalesce(a.platform_attempt_id, 'unknown') || ' of the platform), and so was ba_' || b.id
             || ' (attempt ' || coalesce(b.platform_attempt_id, 'unknown') || ') for the same cycle ' || a.cycle_index || ' of sub_'
             || a.subscription_id || '; it is not refunded' as message
      from billing_attempts a
      join billing_attempts b on b.store_id = ${ctx.storeId} and b.subscription_id = a.subscription_id
       and b.cycle_index = a.cycle_index and b.status = 'success'
       and (a.platform_attempt_id is null or a.platform_attempt_id is distinct from b.platform_attempt_id)
      left join orders o on o.store_id = ${ctx.storeId} and o.id = a.order_id
     where a.store_id = ${ctx.storeId} and a.late_success_at is not null and a.status = 'failed'
       and coalesce(o.refunded_minor, 0) < a.amount_minor
     order by a.id limit 100`
})

export const chargeReversed = defineAuditRule({
  name: 'charge_reversed',
  severity: 'warning',
  help:
    'A charge that the platform had reported as paid, or has a paid order for, is reported as failed. It counts as paid: look at ' +
    'its order on the platform, and cancel or refund there what was not paid.',
  wrong: (ctx) => sql`
    select 'ba_' || a.id as subject,
           'is reported as failed although it was paid, and its order is not refunded' as message
      from billing_attempts a left join orders o on o.store_id = ${ctx.storeId} and o.id = a.order_id
     where a.store_id = ${ctx.storeId} and a.reversed_at is not null
       and coalesce(o.refunded_minor, 0) < a.amount_minor and o.cancelled_at is null
     order by a.id limit 100`
})

export const chargesHeld = defineAuditRule({
  name: 'charges_held',
  severity: 'warning',
  help:
    'A charge waits for a person; its `error.code` says why: the platform does not bill the contract, did not accept the ' +
    'call, or declined the order for something that no card changes (`invalid_order`). Fix what it names there, then retry the ' +
    'attempt; or skip the cycle, which is then never charged, and the next one is charged on its day. `already_paid` is from an ' +
    'earlier version: such a cycle is now marked as missed automatically.',
  wrong: (ctx) => sql`
    select 'sub_' || s.id as subject,
           'has a charge of cycle ' || s.next_cycle || ' that has waited for a person since ' || l.completed_at || ': ' || l.error_code
             || coalesce(' (' || l.decline_code || ')', '') as message
      from subscriptions s
     cross join lateral (
       select a.error_code, a.decline_code, a.completed_at from billing_attempts a
        where a.store_id = ${ctx.storeId} and a.subscription_id = s.id and a.cycle_index = s.next_cycle
        order by a.attempt_number desc limit 1) l
     where s.store_id = ${ctx.storeId} and s.status = 'active' and s.billing_due_at is null
       and s.payment_method_deadline is null and l.error_code = any(${HELD_CLASSES}::text[])
     order by s.id limit 100`
})
