import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const churnOffersHold = defineAuditRule({
  name: 'churn_offers_hold',
  severity: 'finding',
  help:
    'An accepted offer is active although its discount is over since an hour, its contract has ended more than a day ago, or the next charge was paid; or what ' +
    'it gives is not there: the discount of the contract, or the entry of store credit.',
  counted: (ctx) =>
    sql`select count(*) as count from contract_offers where store_id = ${ctx.storeId} and status <> 'applying'`,
  wrong: (ctx) => sql`
    with offers as (
      select id, subscription_id, type, status, grant_id, credit_entry_id, credit_minor, attempt_before
        from contract_offers where store_id = ${ctx.storeId} and status <> 'applying'),
    grants as (select id, subscription_id, ended_at, ended_by from contract_grants where store_id = ${ctx.storeId}),
    credits as (select id, type, amount_minor from credit_entries where store_id = ${ctx.storeId}),
    contracts as (select id, status, cancelled_at from subscriptions where store_id = ${ctx.storeId}),
    charges as (
      select subscription_id, max(id) as id from billing_attempts
       where store_id = ${ctx.storeId} and status = 'success' and completed_at < ${ctx.now}::timestamptz - interval '1 hour'
       group by subscription_id),
    judged as (
      select o.id, o.subscription_id,
             case when o.type = 'discount_price' and (g.id is null or g.subscription_id is distinct from o.subscription_id)
                    then case when o.status = 'active' then 'has no discount of its contract' end
                  when o.type = 'add_store_credits' and (c.type is distinct from 10 or c.amount_minor is distinct from o.credit_minor)
                    then 'has no entry of store credit of its amount'
                  when o.status = 'active' and g.ended_by in ('used', 'removed') and g.ended_at < ${ctx.now}::timestamptz - interval '1 hour'
                    then 'is active although its discount is over'
                  when o.status = 'active' and s.status in ('cancelled', 'failed', 'expired')
                       and s.cancelled_at < ${ctx.now}::timestamptz - interval '25 hours'
                    then 'is active although its contract has ended'
                  when o.status = 'active' and o.grant_id is null and p.id > coalesce(o.attempt_before, 0)
                    then 'is active although a charge was paid since' end as message
        from offers o
        join contracts s on s.id = o.subscription_id
        left join grants g on g.id = o.grant_id
        left join credits c on c.id = o.credit_entry_id
        left join charges p on p.subscription_id = o.subscription_id)
    select 'sub_' || subscription_id as subject, 'its accepted offer ' || id || ' ' || message as message
      from judged where message is not null order by id limit 100`
})

export const churnOffersAnswered = defineAuditRule({
  name: 'churn_offers_answered',
  severity: 'warning',
  help:
    'An offer was begun and is neither active nor taken back for an hour: the platform cannot be reached to set a frequency back. It is tried again ' +
    'automatically; until then the contract accepts no other offer.',
  wrong: (ctx) => sql`
    select 'sub_' || subscription_id as subject, 'offer ' || offer_id || ' is neither active nor taken back since ' || accepted_at as message
      from contract_offers
     where store_id = ${ctx.storeId} and status = 'applying' and updated_at < ${ctx.now}::timestamptz - interval '1 hour'
     order by id limit 100`
})
