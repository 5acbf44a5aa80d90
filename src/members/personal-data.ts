import { definePersonalData, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'
import { eraseCustomers } from './erase-customers.ts'

/** Who they are. The row stays with its number, its status and its dates, which others count. */
export const membersHeld = definePersonalData({
  table: 'members',
  columns: [
    'platform_customer_id',
    'email',
    'first_name',
    'last_name',
    'country_code',
    'province_code',
    'birth_date',
    'email_consent',
    'sms_consent',
    'account_state',
    'profile_pending'
  ],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(m) - '{store_id,platform_updated_at,profile_pending}'::text[] as held from members m
     where store_id = ${storeId} and id = any(${memberIds}::bigint[]) order by id`,
  // Also one that was written by a transaction that had begun before the erasure.
  async erase(ctx, person) {
    return { changed: await eraseCustomers(ctx, person.memberIds), next: null }
  }
})

/** The tags that they have on the platform. */
export const customerTagsHeld = definePersonalData({
  table: 'customer_tags',
  columns: ['tag_key'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('tag', t.tag_key, 'reported_at', t.reported_at) as held from customer_tags t
     where t.store_id = ${storeId} and t.member_id = any(${memberIds}::bigint[]) and t.is_present order by t.member_id, t.tag_key`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    delete from customer_tags where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])`
  )
})
