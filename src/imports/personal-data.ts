import { certainlyAbout, definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** Rows of files as they were sent, also refused ones: whatever the sender wrote about the person. Their outcomes stay. */
export const importRowsHeld = definePersonalData({
  table: 'import_rows',
  columns: ['input', 'original', 'refusal_message', 'external_id', 'platform_customer_id', 'creates'],
  held: ({ storeId }, person) => sql`
    select to_jsonb(r) - '{store_id,create_key,creates}'::text[] as held from import_rows r
     where r.store_id = ${storeId}
       and (r.platform_customer_id = any(${person.customerIds}::text[]) or r.subscription_id = any(${person.subscriptionIds}::bigint[])
            or concat_ws(' ', r.original, r.input) ~* ${certainlyAbout(person)})
     order by r.import_id, r.line`,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update import_rows r
       set input = case when r.status = 'waiting' then '{}'::jsonb end, original = null, external_id = null,
           platform_customer_id = case when r.status = 'creating' then '0' end,
           refusal_message = regexp_replace(r.refusal_message, ${identifiersOf(person)}, 'erased', 'gi')
     where r.store_id = ${storeId}
       and (r.platform_customer_id = any(${person.customerIds}::text[]) or r.subscription_id = any(${person.subscriptionIds}::bigint[])
            or concat_ws(' ', r.original, r.input, r.refusal_message, r.external_id) ~* ${certainlyAbout(person)})
       and (num_nonnulls(r.original, r.external_id) > 0 or r.input <> '{}'::jsonb
            or r.platform_customer_id <> '0' or r.refusal_message ~* ${identifiersOf(person)})`
  )
})

/** Why an import could not go on. */
export const importsHeld = definePersonalData({
  table: 'imports',
  columns: ['last_error'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update imports set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and last_error ~* ${certainlyAbout(person)}`
  )
})
