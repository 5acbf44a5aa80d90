import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'
import { ACTIVE_TAGS } from './tags/wanted-tags.ts'

/** Tries in a row without an answer before a person should look: they are minutes and then hours apart. */
const MAX_ATTEMPTS = 3

const TAGS = Object.entries(ACTIVE_TAGS).flatMap(([type, tag]) => (tag === null ? [] : [{ type, tag }]))

export const tagsWritten = defineAuditRule({
  name: 'tags_written',
  severity: 'warning',
  help:
    'A [tag](tags.md) that a customer or an order is to have cannot be written: the platform has no room for it, does not take it as ' +
    'it is, does not show its owner, or four tries in a row came to nothing. The message says why. When the reason is gone: ' +
    '`perennial tags sync`.',
  counted: (ctx) => sql`select count(*) as count from tag_owners where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select o.kind || ' ' || coalesce(m.platform_customer_id, r.platform_order_id, o.owner_id::text) as subject,
           coalesce(o.problem, o.attempts || ' tries in a row came to nothing; the last one: ' || coalesce(o.last_error, ''))
             as message
      from tag_owners o
      left join members m on m.store_id = ${ctx.storeId} and o.kind = 'customer' and m.id = o.owner_id
      left join orders r on r.store_id = ${ctx.storeId} and o.kind = 'order' and r.id = o.owner_id
     where o.store_id = ${ctx.storeId} and (o.problem is not null or o.attempts > ${MAX_ATTEMPTS})
       and m.platform_deleted_at is null
     order by o.kind, o.owner_id limit 100`
})

export const tagsFollowMemberships = defineAuditRule({
  name: 'tags_follow_memberships',
  severity: 'finding',
  help:
    'A customer is to have the tag of an active membership without holding one, or the other way round. `perennial tags sync` derives ' +
    'it anew. While events about members wait to be handled, and during the walk over all customers, it is not checked.',
  counted: (ctx) => sql`
    select count(*) as count from wanted_tags
     where store_id = ${ctx.storeId} and kind = 'customer' and source = 'membership'`,
  wrong: (ctx) => sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'tags') = 'tags')
         and not exists (select from tag_walks where store_id = ${ctx.storeId} and next_at <= statement_timestamp())),
    tags as (
      select * from unnest(${TAGS.map(({ type }) => type)}::text[], ${TAGS.map(({ tag }) => tag)}::text[]) as t(type, tag)),
    held as (
      select distinct coalesce(s.receiver_member_id, s.member_id) as holder, t.tag
        from subscriptions s
        join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
        join tags t on t.type = p.type
        join members m on m.store_id = ${ctx.storeId} and m.id = coalesce(s.receiver_member_id, s.member_id)
       where s.store_id = ${ctx.storeId} and s.status = 'active' and m.platform_deleted_at is null),
    wanted as (
      select owner_id as holder, tag from wanted_tags
       where store_id = ${ctx.storeId} and kind = 'customer' and source = 'membership')
    select 'cust_' || coalesce(h.holder, w.holder) as subject,
           case when w.holder is null then 'holds an active membership and is not to have the tag ' || h.tag
                else 'is to have the tag ' || w.tag || ' and holds no such active membership' end as message
      from settled cross join (held h full join wanted w on w.holder = h.holder and w.tag = h.tag)
     where h.holder is null or w.holder is null
     order by 1, 2 limit 100`
})

export const metafieldsWritten = defineAuditRule({
  name: 'metafields_written',
  severity: 'warning',
  help:
    'A [metafield](metafields.md) of the shop or a customer cannot be written: the platform refuses it, does not show its owner, or four ' +
    'tries in a row came to nothing; or the platform cannot list what its customers have. The message says why. When the reason is gone: ' +
    '`perennial metafields sync`.',
  counted: (ctx) => sql`select count(*) as count from metafield_owners where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select o.kind || coalesce(' ' || m.platform_customer_id, '') as subject,
           coalesce(o.problem, o.attempts || ' tries in a row came to nothing; the last one: ' || coalesce(o.last_error, ''))
             as message
      from metafield_owners o
      left join members m on m.store_id = ${ctx.storeId} and o.kind = 'customer' and m.id = o.owner_id
     where o.store_id = ${ctx.storeId} and (o.problem is not null or o.attempts > ${MAX_ATTEMPTS})
       and m.platform_deleted_at is null
    union all
    select 'all customers',
           'changes by others are not found: ' || case when w.file_failures >= 3 then w.file_error else w.last_error end
      from metafield_stores w
     where w.store_id = ${ctx.storeId} and (w.file_failures >= 3 or w.failures > ${MAX_ATTEMPTS})
     order by 1 limit 100`
})

export const discountsKept = defineAuditRule({
  name: 'discounts_kept',
  severity: 'warning',
  help:
    'An automatic discount that gives members their prices or free shipping cannot be as it is to be, or cannot be ended: the platform refuses it, the ' +
    'function that the settings name is not in the shop, or four tries in a row came to nothing. The message says why. When the reason is gone: ' +
    '`perennial platform sync-discounts`.',
  counted: (ctx) => sql`select count(*) as count from discount_nodes where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select 'discount ' || n.slot as subject, n.problem as message
      from discount_nodes n where n.store_id = ${ctx.storeId} and n.problem is not null
    union all
    select 'all discounts', w.failures || ' tries in a row came to nothing; the last one: ' || coalesce(w.last_error, '')
      from discount_stores w where w.store_id = ${ctx.storeId} and w.failures > ${MAX_ATTEMPTS}
     order by 1 limit 100`
})

export const perksEnforced = defineAuditRule({
  name: 'perks_enforced',
  severity: 'warning',
  help:
    "A main plan promises a perk that its members do not get. At the checkout: the store's discounts are native, and the platform's own discounts " +
    'cannot give it ([pricing](pricing.md#at-the-checkout)); change the perk, or deploy the discount function and set `discounts.enforced_by` to ' +
    '`function`. On renewals: contracts have whole percents only ([pricing](pricing.md#on-renewals)); change the perk.',
  counted: (ctx) =>
    sql`select jsonb_array_length(not_enforced) as count from discount_stores where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select l.line->>'subject' as subject, l.line->>'message' as message
      from discount_stores w cross join lateral jsonb_array_elements(w.not_enforced) as l(line)
     where w.store_id = ${ctx.storeId} order by 1, 2 limit 100`
})

export const contractDiscountsKept = defineAuditRule({
  name: 'contract_discounts_kept',
  severity: 'warning',
  help:
    "A member's product contract has not the [discount](pricing.md#on-renewals) that it is to have, or has one that it is to have no more: the platform " +
    'refuses it (a contract of another app cannot be changed), has no such contract, or four tries in a row came to nothing; or the contract was read ' +
    'without it since. The message says why. It is compared again every day and after each change of the membership, the plan or the contract. ' +
    '`all contracts`: the database did not let the service say which discounts are wanted, four times in a row.',
  counted: (ctx) => sql`select count(*) as count from contract_discounts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select 'sub_' || d.subscription_id as subject,
           coalesce(d.problem,
                    case when d.attempts > ${MAX_ATTEMPTS}
                         then 'the discount cannot be compared, ' || d.attempts || ' times in a row: ' || coalesce(d.last_error, '')
                         else 'is to have a member discount, and the contract was read without one' end) as message
      from contract_discounts d
      join subscriptions s on s.store_id = ${ctx.storeId} and s.id = d.subscription_id
     where d.store_id = ${ctx.storeId}
       and (d.problem is not null or d.attempts > ${MAX_ATTEMPTS}
            or d.is_on and d.attempts = 0 and d.tier is not null and s.member_discount_minor = 0 and s.price_minor > 0
               and not exists (select from jobs j
                                where j.store_id = ${ctx.storeId} and j.kind = 'sync-contract' and j.dedupe_key = s.platform_contract_id))
    union all
    select 'all contracts', 'which discounts are wanted cannot be derived, ' || w.failures || ' times in a row: ' || coalesce(w.last_error, '')
      from contract_discount_walks w where w.store_id = ${ctx.storeId} and w.failures > ${MAX_ATTEMPTS}
     order by 1 limit 100`
})

export const contractDiscountsFollowMemberships = defineAuditRule({
  name: 'contract_discounts_follow_memberships',
  severity: 'finding',
  help:
    'A product contract is to have the discount of a membership that its customer does not hold, or a member does not get it. The discounts ' +
    'are derived anew every day, and by `perennial platform sync-discounts`. While events about members wait to be handled, and during the walk over ' +
    'all members, it is not checked.',
  counted: (ctx) => sql`select count(*) as count from contract_discounts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'contract_discounts') = 'contract_discounts')
         and not exists (select from contract_discount_walks
                          where store_id = ${ctx.storeId} and next_at <= statement_timestamp())),
    held as (
      select coalesce(s.receiver_member_id, s.member_id) as holder, min(t.tier) as tier
        from subscriptions s
        join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
        join contract_discount_terms t on t.store_id = ${ctx.storeId} and t.tier = p.type
       where s.store_id = ${ctx.storeId} and s.status = 'active'
       group by 1),
    wanted as (
      select s.id, t.tier
        from subscriptions s
        left join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
        join held h on h.holder = s.member_id
        join contract_discount_terms t on t.store_id = ${ctx.storeId} and t.tier = h.tier and t.terms_hash is not null
       where s.store_id = ${ctx.storeId} and s.status in ('active', 'paused') and coalesce(p.type = 'product', true)),
    kept as (
      select subscription_id as id, tier from contract_discounts where store_id = ${ctx.storeId} and tier is not null)
    select 'sub_' || coalesce(w.id, k.id) as subject,
           case when k.id is null then 'is to have the discount of ' || w.tier || ' members, and it is not wanted there'
                when w.id is null then 'is to have the discount of ' || k.tier || ' members, and its customer is none'
                else 'is to have the discount of ' || w.tier || ' members, and that of ' || k.tier || ' members is wanted there' end
             as message
      from settled cross join (wanted w full join kept k on k.id = w.id)
     where w.tier is distinct from k.tier
     order by 1 limit 100`
})
