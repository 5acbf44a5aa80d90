import { definePersonalData, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** The files that answered data requests go with the person. */
export const privacyExportsHeld = definePersonalData({
  table: 'privacy_exports',
  columns: ['content'],
  held: null,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    delete from privacy_exports where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])`
  )
})

/** Who a request is about is known until it is done. The request under way removes its own at its end. */
export const privacyRequestsHeld = definePersonalData({
  table: 'privacy_requests',
  columns: ['subject', 'subject_key', 'platform_request_id'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('topic', topic, 'received_at', received_at, 'status', status, 'done_at', done_at) as held
      from privacy_requests where store_id = ${storeId} and member_id = any(${memberIds}::bigint[]) order by id`,
  // A data request that is still open has nothing left to hand out.
  erase: inOneStep(
    ({ storeId, now }, { memberIds }) => sql`
    update privacy_requests
       set subject = null, status = 'refused', reason = 'The person was erased meanwhile', done_at = ${now}
     where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])
       and topic = 'customers/data_request' and done_at is null`
  )
})
