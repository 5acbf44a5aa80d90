import { certainlyAbout, definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/**
 * Passes of the person. They are deleted, with the phones that have them: what an iPhone still shows is not updated any more, and no
 * other phone gets it. What Google has was voided before (`withdrawGooglePasses`).
 */
export const walletPassesHeld = definePersonalData({
  table: 'wallet_passes',
  columns: ['serial', 'content_hash', 'problem'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('serial', p.serial, 'created_at', p.created_at, 'changed_at', p.changed_at,
                              'google_offered_at', p.google_offered_at) as held
      from wallet_passes p where p.store_id = ${storeId} and p.member_id = any(${memberIds}::bigint[]) order by p.id`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    delete from wallet_registrations
     where store_id = ${storeId} and pass_id in (
       select p.id from wallet_passes p where p.store_id = ${storeId} and p.member_id = any(${memberIds}::bigint[]))`,
    ({ storeId }, { memberIds }) => sql`
    delete from wallet_passes where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])`,
    ({ storeId }, person) => sql`
    update wallet_passes set problem = regexp_replace(problem, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and problem is not null and problem ~* ${certainlyAbout(person)}`
  )
})

/** Phones that have a pass of the person. */
export const walletRegistrationsHeld = definePersonalData({
  table: 'wallet_registrations',
  columns: ['device', 'push_token'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('device', r.device, 'registered_at', r.created_at) as held
      from wallet_registrations r
      join wallet_passes p on p.store_id = ${storeId} and p.id = r.pass_id
     where r.store_id = ${storeId} and p.member_id = any(${memberIds}::bigint[]) order by r.pass_id, r.device`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    delete from wallet_registrations
     where store_id = ${storeId} and pass_id in (
       select p.id from wallet_passes p where p.store_id = ${storeId} and p.member_id = any(${memberIds}::bigint[]))`
  )
})
