import { certainlyAbout, definePersonalData, ERASED, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** The ledger keeps every entry with its amount. Why it was made is what somebody wrote about the person. */
export const pointsHeld = definePersonalData({
  table: 'points_entries',
  columns: ['reason', 'operation_id'],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(e) - '{store_id,operation_id}'::text[] as held from points_entries e
     where e.store_id = ${storeId} and e.member_id = any(${memberIds}::bigint[]) order by e.id`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    update points_entries set reason = ${ERASED}
     where store_id = ${storeId} and member_id = any(${memberIds}::bigint[]) and reason <> ${ERASED}`,
    ({ storeId }, person) => sql`
    update points_entries set operation_id = ${`${ERASED}:`} || id
     where store_id = ${storeId} and member_id = any(${person.memberIds}::bigint[])
       and operation_id ~* ${certainlyAbout(person)}`
  )
})
