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
    'it is, does not show its owner, or did not respond four times in a row. The message says why. When the reason is gone: ' +
    '`perennial tags sync`.',
  counted: (ctx) => sql`select count(*) as count from tag_owners where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select o.kind || ' ' || coalesce(m.platform_customer_id, r.platform_order_id, o.owner_id::text) as subject,
           coalesce(o.problem, 'the platform did not respond ' || o.attempts || ' times in a row: ' || coalesce(o.last_error, ''))
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
    'A [metafield](metafields.md) of the shop or a customer cannot be written: the platform refuses it, does not show its owner, or did not ' +
    'respond four times in a row; or the platform cannot list what its customers have. The message says why. When the reason is gone: ' +
    '`perennial metafields sync`.',
  counted: (ctx) => sql`select count(*) as count from metafield_owners where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select o.kind || coalesce(' ' || m.platform_customer_id, '') as subject,
           coalesce(o.problem, 'the platform did not respond ' || o.attempts || ' times in a row: ' || coalesce(o.last_error, ''))
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
