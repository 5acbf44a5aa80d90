import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const contractsQuarantined = defineAuditRule({
  name: 'contracts_quarantined',
  severity: 'warning',
  help:
    'A contract of the platform could not be read or imported; the warning says since when and why. It is read again ' +
    'automatically; until then no change of it is followed.',
  wrong: (ctx) => sql`
    select 'contract ' || contract_id as subject,
           'could not be read or imported since ' || since || ': ' || reason as message
      from quarantined_contracts where store_id = ${ctx.storeId} order by since, contract_id limit 100`
})

export const contractGrantsFollowed = defineAuditRule({
  name: 'contract_grants_followed',
  severity: 'finding',
  help:
    'A reward that a contract has, or is to have or to lose, is not looked at any more; it was used more often than it is good for; or it is on the ' +
    'contract of somebody else.',
  counted: (ctx) => sql`select count(*) as count from contract_grants where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with grants as (
      select id, member_id, subscription_id, status, is_on, cycles, used_cycles from contract_grants where store_id = ${ctx.storeId}),
    looked_at as (select subscription_id from granted_contracts where store_id = ${ctx.storeId}),
    contracts as (select id, member_id from subscriptions where store_id = ${ctx.storeId})
    select 'mem_' || g.member_id as subject,
           'has reward ' || g.id || ' on sub_' || g.subscription_id || ', '
             || case when c.member_id <> g.member_id then 'which is of mem_' || c.member_id
                     when g.used_cycles > g.cycles then 'which ' || g.used_cycles || ' renewals have used instead of ' || g.cycles
                     else 'which nobody looks at' end as message
      from grants g
      join contracts c on c.id = g.subscription_id
      left join looked_at l on l.subscription_id = g.subscription_id
     where (g.status <> 'ended' or g.is_on) and (l.subscription_id is null or c.member_id <> g.member_id) or g.used_cycles > g.cycles
     order by 1 limit 100`
})

export const contractGrantsKept = defineAuditRule({
  name: 'contract_grants_kept',
  severity: 'warning',
  help:
    'What rewards give on a contract cannot be kept on the platform; the warning says why. It is tried again, at least once a day. Or the platform has ' +
    'refused a reward for good, in the last 30 days.',
  wrong: (ctx) => sql`
    with grants as (
      select subscription_id, member_id, label, problem, ended_by, ended_at from contract_grants where store_id = ${ctx.storeId}),
    looked_at as (select subscription_id, last_error from granted_contracts where store_id = ${ctx.storeId})
    select 'sub_' || subscription_id as subject, 'its rewards cannot be kept: ' || last_error as message
      from looked_at where last_error is not null
    union all
    select coalesce('sub_' || subscription_id, 'mem_' || member_id), label || ' was refused: ' || coalesce(problem, 'the reason is not kept')
      from grants where ended_by = 'refused' and ended_at > ${ctx.now}::timestamptz - interval '30 days'
     order by 1 limit 100`
})
