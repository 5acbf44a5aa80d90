import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'
import { ACCOUNT_OPERATIONS, operationOf } from './platform-account/account-operations.ts'

/** Tries in a row without an answer before a person should look: they are seconds and then minutes apart. */
const MAX_ATTEMPTS = 3

export const platformCreditReached = defineAuditRule({
  name: 'platform_credit_reached',
  severity: 'warning',
  help:
    "The account of store credit that a customer has on the platform cannot be kept at the ledger's balance: the platform refuses it, " +
    'does not show the customer, lacks an [access scope](#access-scopes), or four tries in a row came to nothing. The message says why. ' +
    'When the reason is gone: `perennial credit reconcile`.',
  counted: (ctx) => sql`select count(*) as count from spending_accounts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select 'cust_' || a.member_id as subject,
           'has an account on the platform that is not kept: '
             || coalesce(a.problem, 'after ' || a.attempts || ' tries: ' || coalesce(a.last_error, '')) as message
      from spending_accounts a join members m on m.store_id = ${ctx.storeId} and m.id = a.member_id
     where a.store_id = ${ctx.storeId} and (a.problem is not null or a.attempts > ${MAX_ATTEMPTS})
       and m.platform_deleted_at is null
     order by a.member_id limit 100`
})

export const platformCreditAddsUp = defineAuditRule({
  name: 'platform_credit_adds_up',
  severity: 'finding',
  help: "What a customer has on the platform, as it is known here, is not the sum of the account's transactions. Was a table changed by hand?",
  counted: (ctx) => sql`select count(*) as count from platform_credit_transactions where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with summed as (
      select member_id, sum(amount_minor) as sum from platform_credit_transactions
       where store_id = ${ctx.storeId} and gift_card_id is null group by member_id),
    of_cards as (
      select gift_card_id, sum(amount_minor) as sum from platform_credit_transactions
       where store_id = ${ctx.storeId} and gift_card_id is not null group by gift_card_id),
    places as (
      select a.member_id, a.mirrored_minor, coalesce(s.sum, 0) as sum, 'on the platform' as place
        from spending_accounts a left join summed s on s.member_id = a.member_id
       where a.store_id = ${ctx.storeId}
      union all
      select g.member_id, g.mirrored_minor, coalesce(s.sum, 0), 'on the gift card ' || g.last_characters
        from spending_gift_cards g left join of_cards s on s.gift_card_id = g.id
       where g.store_id = ${ctx.storeId})
    select 'cust_' || member_id as subject,
           'has {{' || mirrored_minor || '}} ' || place || '; the transactions come to {{' || sum || '}}' as message
      from places where mirrored_minor <> sum order by member_id limit 100`
})

export const platformCreditEntered = defineAuditRule({
  name: 'platform_credit_entered',
  severity: 'finding',
  help:
    'What was spent from an account on the platform, or changed there by somebody else, has no entry in the ledger; or one of our own ' +
    'credits and debits was recorded there twice.',
  counted: (ctx) =>
    sql`select count(*) as count from platform_credit_transactions where store_id = ${ctx.storeId} and kind <> 'ours'`,
  wrong: (ctx) => sql`
    with moved as (
      select transaction_key, member_id, amount_minor, kind, order_id, ${operationOf('')}::text || transaction_key as operation_id
        from platform_credit_transactions
       where store_id = ${ctx.storeId} and kind in ('spent', 'changed', 'expired')),
    entered as (
      select operation_id, amount_minor, shortfall_minor from credit_entries
       where store_id = ${ctx.storeId} and operation_id like ${ACCOUNT_OPERATIONS})
    select 'transaction ' || m.transaction_key as subject,
           'of cust_' || m.member_id || ' moved {{' || m.amount_minor || '}} on the platform; its entry '
             || coalesce('moved {{' || e.amount_minor || '}} with a shortfall of {{' || e.shortfall_minor || '}}', 'is missing')
             as message
      from moved m left join entered e on e.operation_id = m.operation_id
     where e.amount_minor is distinct from m.amount_minor + coalesce(e.shortfall_minor, 0)
     order by m.transaction_key limit 100`
})

export const creditMirrored = defineAuditRule({
  name: 'credit_mirrored',
  severity: 'finding',
  help:
    "A customer's account and gift card on the platform do not have together what the ledger has available, and nothing waits that would change it. " +
    '`perennial credit reconcile` compares it anew. While events about credit wait to be handled, it is not checked.',
  counted: (ctx) => sql`select count(*) as count from spending_accounts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'spending') = 'spending')
         and not exists (select from spending_walks where store_id = ${ctx.storeId} and next_at <= ${ctx.now})),
    lapsed as (
      select member_id from credit_reservations
       where store_id = ${ctx.storeId} and status = 'reserved' and expires_at <= ${ctx.now}
      union
      select member_id from credit_lots
       where store_id = ${ctx.storeId} and expires_at <= ${ctx.now} and remaining_minor > reserved_minor),
    on_cards as (
      select member_id, sum(mirrored_minor)::bigint as minor from spending_gift_cards
       where store_id = ${ctx.storeId} and status <> 'closed' group by member_id),
    accounts as (
      select a.member_id, a.mirrored_minor + coalesce(g.minor, 0) as mirrored_minor from spending_accounts a
        join members m on m.store_id = ${ctx.storeId} and m.id = a.member_id
        left join on_cards g on g.member_id = a.member_id
       where a.store_id = ${ctx.storeId} and a.due_at is null and a.problem is null and m.platform_deleted_at is null
         and a.mirrored_minor + coalesce(g.minor, 0) <> 0),
    ledger as (
      select member_id, balance_minor - reserved_minor as available from credit_accounts where store_id = ${ctx.storeId})
    select 'cust_' || a.member_id as subject,
           'has {{' || a.mirrored_minor || '}} on the platform, and {{' || coalesce(l.available, 0)
             || '}} available in the ledger' as message
      from settled cross join accounts a left join ledger l on l.member_id = a.member_id
     where a.mirrored_minor <> coalesce(l.available, 0)
       and not exists (select from lapsed p where p.member_id = a.member_id)
     order by a.member_id limit 100`
})

export {
  creditCodesClosed,
  creditCodesReserved,
  creditCodesScheduled,
  discountsRedeemed,
  redemptionsRestored,
  redemptionsRestoredWithin
} from './redemptions/redemption-rules.ts'
