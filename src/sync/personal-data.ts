import { certainlyAbout, definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** Why reading the platform failed. */
export const reconciliationsHeld = definePersonalData({
  table: 'reconciliations',
  columns: ['last_error'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update reconciliations set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and last_error ~* ${certainlyAbout(person)}`
  )
})

/** The same of what a store had before. */
export const readInsHeld = definePersonalData({
  table: 'read_ins',
  columns: ['last_error', 'skipped_reason'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update read_ins
       set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi'),
           skipped_reason = regexp_replace(skipped_reason, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and (last_error ~* ${certainlyAbout(person)} or skipped_reason ~* ${certainlyAbout(person)})`
  )
})
