import { certainlyAbout, definePersonalData, ERASED, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** The ledger keeps every entry with its amount. Why it was made is what somebody wrote about the person. */
export const creditsHeld = definePersonalData({
  table: 'credit_entries',
  columns: ['reason', 'operation_id'],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(e) - '{store_id,operation_id}'::text[] as held from credit_entries e
     where e.store_id = ${storeId} and e.member_id = any(${memberIds}::bigint[]) order by e.id`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    update credit_entries set reason = ${ERASED}
     where store_id = ${storeId} and member_id = any(${memberIds}::bigint[]) and reason <> ${ERASED}`,
    ({ storeId }, person) => sql`
    update credit_entries set operation_id = ${`${ERASED}:`} || id
     where store_id = ${storeId} and member_id = any(${person.memberIds}::bigint[])
       and operation_id ~* ${certainlyAbout(person)}`
  )
})

/** The same for what is or was reserved of it. */
export const reservationsHeld = definePersonalData({
  table: 'credit_reservations',
  columns: ['reason', 'operation_id'],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(r) - '{store_id,operation_id,lots,minors}'::text[] as held from credit_reservations r
     where r.store_id = ${storeId} and r.member_id = any(${memberIds}::bigint[]) order by r.id`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    update credit_reservations set reason = ${ERASED}
     where store_id = ${storeId} and member_id = any(${memberIds}::bigint[]) and reason <> ${ERASED}`,
    ({ storeId }, person) => sql`
    update credit_reservations set operation_id = ${`${ERASED}:`} || id
     where store_id = ${storeId} and member_id = any(${person.memberIds}::bigint[])
       and operation_id ~* ${certainlyAbout(person)}`
  )
})
