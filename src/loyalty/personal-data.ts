import { certainlyAbout, definePersonalData, ERASED, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** What rules have counted of a customer. A tag of theirs is what somebody wrote about them; orders, days and events have numbers only. */
export const loyaltyCountsHeld = definePersonalData({
  table: 'loyalty_counts',
  columns: ['cause'],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(c) - '{store_id}'::text[] as held from loyalty_counts c
     where c.store_id = ${storeId} and c.member_id = any(${memberIds}::bigint[]) order by c.rule_id, c.cause`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    update loyalty_counts c set cause = 'tag:erased-' || n.number
      from (select rule_id, member_id, cause, row_number() over (partition by rule_id, member_id order by cause) as number
              from loyalty_counts
             where store_id = ${storeId} and member_id = any(${memberIds}::bigint[]) and cause like 'tag:%') n
     where c.store_id = ${storeId} and c.rule_id = n.rule_id and c.member_id = n.member_id and c.cause = n.cause
       and c.cause not like 'tag:erased-%'`
  )
})

/** The rewards that a customer has, or had. */
export const loyaltyAwardsHeld = definePersonalData({
  table: 'loyalty_awards',
  columns: ['key'],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(a) - '{store_id}'::text[] as held from loyalty_awards a
     where a.store_id = ${storeId} and a.member_id = any(${memberIds}::bigint[]) order by a.id`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    update loyalty_awards set key = 'tag:erased-' || id
     where store_id = ${storeId} and member_id = any(${memberIds}::bigint[]) and key like 'tag:%' and key not like 'tag:erased-%'`
  )
})

/** Receipts, which go with the person, and their files soon after. What they have earned is in the ledger of points. */
export const receiptsHeld = definePersonalData({
  table: 'loyalty_receipts',
  columns: ['retailer', 'purchased_on', 'number', 'reason', 'content_hash'],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(r) - '{store_id}'::text[] as held from loyalty_receipts r
     where r.store_id = ${storeId} and r.member_id = any(${memberIds}::bigint[]) order by r.id`,
  erase: inOneStep(
    ({ storeId, now }, { memberIds }) => sql`
    update loyalty_receipt_files f set state = 'removing', receipt_id = null, due_at = ${now}
      from loyalty_receipts r
     where f.store_id = ${storeId} and r.store_id = ${storeId} and r.id = f.receipt_id and r.member_id = any(${memberIds}::bigint[])`,
    ({ storeId }, { memberIds }) => sql`
    delete from loyalty_receipts where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])`
  )
})

/** Coupons. A code is made by chance and says nothing of the person; what the platform said to it may. */
export const couponsHeld = definePersonalData({
  table: 'loyalty_coupons',
  columns: ['problem', 'last_error', 'operation_id'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('code', c.code, 'type', c.type, 'name', c.name, 'status', c.status, 'ended_by', c.ended_by,
                              'usage_count', c.usage_count, 'created_at', c.created_at, 'expires_at', c.expires_at,
                              'deleted_at', c.deleted_at) as held
      from loyalty_coupons c where c.store_id = ${storeId} and c.member_id = any(${memberIds}::bigint[]) order by c.id`,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update loyalty_coupons set problem = regexp_replace(problem, ${identifiersOf(person)}, 'erased', 'gi'),
                               last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and member_id = any(${person.memberIds}::bigint[])
       and concat_ws(' ', problem, last_error) ~* ${identifiersOf(person)}`,
    // A theme may have put a name into the id of its request.
    ({ storeId }, person) => sql`
    update loyalty_coupons set operation_id = ${`${ERASED}:`} || id
     where store_id = ${storeId} and member_id = any(${person.memberIds}::bigint[])
       and operation_id ~* ${certainlyAbout(person)}`
  )
})

/** The tier of a customer. */
export const customerTiersHeld = definePersonalData({
  table: 'loyalty_customer_tiers',
  columns: [],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('tier', l.name, 'entered_at', t.entered_at, 'review_at', t.review_at) as held
      from loyalty_customer_tiers t join loyalty_tiers l on l.store_id = ${storeId} and l.id = t.tier_id
     where t.store_id = ${storeId} and t.member_id = any(${memberIds}::bigint[]) order by t.member_id`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    update loyalty_customer_tiers set tier_id = null, review_at = null
     where store_id = ${storeId} and member_id = any(${memberIds}::bigint[]) and tier_id is not null`
  )
})

/** The tier that a customer was given by an import. */
export const grantedTiersHeld = definePersonalData({
  table: 'loyalty_granted_tiers',
  columns: [],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('tier', l.name, 'granted_at', g.granted_at, 'holds_until', g.holds_until) as held
      from loyalty_granted_tiers g join loyalty_tiers l on l.store_id = ${storeId} and l.id = g.tier_id
     where g.store_id = ${storeId} and g.member_id = any(${memberIds}::bigint[]) order by g.member_id`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    delete from loyalty_granted_tiers where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])`
  )
})

/** The code by which friends come. It is made by chance and says nothing of the person. */
export const referralCodesHeld = definePersonalData({
  table: 'loyalty_referral_codes',
  columns: ['code'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('code', c.code, 'created_at', c.created_at, 'added_at', c.added_at) as held
      from loyalty_referral_codes c
     where c.store_id = ${storeId} and c.member_id = any(${memberIds}::bigint[]) order by c.id`,
  erase: inOneStep()
})

/** Orders of theirs with the code of another customer, and of others with theirs. Who the other is belongs to the other. */
export const referralsHeld = definePersonalData({
  table: 'loyalty_referrals',
  columns: [],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('as', case when r.friend_id = any(${memberIds}::bigint[]) then 'friend' else 'referrer' end,
                              'state', r.state, 'reason', r.reason, 'ordered_at', r.ordered_at) as held
      from loyalty_referrals r
     where r.store_id = ${storeId} and (r.friend_id = any(${memberIds}::bigint[]) or r.referrer_id = any(${memberIds}::bigint[]))
     order by r.id`,
  erase: inOneStep()
})
