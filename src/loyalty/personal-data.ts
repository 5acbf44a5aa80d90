import { certainlyAbout, definePersonalData, ERASED, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

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
