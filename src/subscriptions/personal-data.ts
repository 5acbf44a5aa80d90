import { definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/**
 * The agreement stays, without what was paid with and what was said about its end. Whoever has it as a gift does not learn who pays it, and
 * with what.
 */
export const subscriptionsHeld = definePersonalData({
  table: 'subscriptions',
  columns: ['cancel_comment', 'platform_payment_method_id', 'payment_method'],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(s) - '{store_id,platform_revision}'::text[]
             - case when s.member_id = any(${memberIds}::bigint[]) then '{}'::text[]
                    else '{member_id,platform_payment_method_id,payment_method,cancel_comment}' end as held
      from subscriptions s
     where s.store_id = ${storeId} and (s.member_id = any(${memberIds}::bigint[]) or s.receiver_member_id = any(${memberIds}::bigint[]))
     order by s.id`,
  erase: inOneStep(
    ({ storeId, now }, { memberIds }) => sql`
    update subscriptions set cancel_comment = null, platform_payment_method_id = null, payment_method = null, updated_at = ${now}
     where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])
       and num_nonnulls(cancel_comment, platform_payment_method_id, payment_method) > 0`
  )
})

/** Changes that were requested and wait for the platform: with the end of the agreement they are no longer wanted. */
export const requestedChangesHeld = definePersonalData({
  table: 'subscription_changes',
  columns: ['platform_payment_method_id', 'actor_id', 'replaces'],
  held: ({ storeId }, { subscriptionIds }) => sql`
    select to_jsonb(c) - '{store_id,version}'::text[] as held from subscription_changes c
     where c.store_id = ${storeId} and c.subscription_id = any(${subscriptionIds}::bigint[]) order by c.subscription_id`,
  erase: inOneStep(
    ({ storeId }, { subscriptionIds }) => sql`
    delete from subscription_changes
     where store_id = ${storeId} and subscription_id = any(${subscriptionIds}::bigint[])`
  )
})

/**
 * What happened stays in the history; what people noted, which card it was and what names the person does not. Details are at most two levels
 * deep: their texts lose a name, their keys and numbers stay, whatever it is.
 */
export const activitiesHeld = definePersonalData({
  table: 'contract_activities',
  columns: ['actor_id', 'text', 'notes', 'refs'],
  held: ({ storeId }, { memberIds, subscriptionIds }) => sql`
    select to_jsonb(a) - '{store_id,cause}'::text[] as held from contract_activities a
     where a.store_id = ${storeId}
       and (a.member_id = any(${memberIds}::bigint[]) or a.subscription_id = any(${subscriptionIds}::bigint[])) order by a.id`,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update contract_activities a
       set notes = null, actor_id = case when actor = 'customer' then null else actor_id end,
           text = case when kind = 'payment_method_changed' then 'Payment method changed'
                       else left(regexp_replace(text, ${identifiersOf(person)}, 'erased', 'gi'), 500) end,
           refs = case when kind = 'payment_method_changed' then '{}'::jsonb
                       else (
                         select coalesce(jsonb_object_agg(k.key, case jsonb_typeof(k.value)
                                  when 'string' then to_jsonb(regexp_replace(k.value #>> '{}', ${identifiersOf(person)}, 'erased', 'gi'))
                                  when 'object' then (
                                    select coalesce(jsonb_object_agg(d.key, case jsonb_typeof(d.value)
                                             when 'string' then to_jsonb(regexp_replace(d.value #>> '{}', ${identifiersOf(person)}, 'erased', 'gi'))
                                             else d.value end), '{}')
                                      from jsonb_each(k.value) d)
                                  else k.value end), '{}')
                           from jsonb_each(refs) k) end
     where a.store_id = ${storeId}
       and (a.member_id = any(${person.memberIds}::bigint[]) or a.subscription_id = any(${person.subscriptionIds}::bigint[]))
       and (notes is not null or (actor = 'customer' and actor_id is not null)
            or (kind = 'payment_method_changed' and (text <> 'Payment method changed' or refs <> '{}'::jsonb))
            or text ~* ${identifiersOf(person)} or refs::text ~* ${identifiersOf(person)})`
  )
})
