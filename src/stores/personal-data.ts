import { certainlyAbout, definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** Messages to the people who run the store; they may quote what the platform or a receiver said. */
export const alertsHeld = definePersonalData({
  table: 'alerts',
  columns: ['subject', 'message'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update alerts set subject = regexp_replace(subject, ${identifiersOf(person)}, 'erased', 'gi'),
                      message = regexp_replace(message, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and concat_ws(' ', subject, message) ~* ${certainlyAbout(person)}`
  )
})
