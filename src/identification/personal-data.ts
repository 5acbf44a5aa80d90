import { definePersonalData, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** That a code was asked for with the address of the person. It is gone within hours anyway. */
export const identificationCodesHeld = definePersonalData({
  table: 'identification_codes',
  columns: ['id'],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(c) - '{store_id,id}'::text[] as held from identification_codes c
     where c.store_id = ${storeId} and c.member_id = any(${memberIds}::bigint[]) order by c.created_at`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    delete from identification_codes where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])`
  )
})
