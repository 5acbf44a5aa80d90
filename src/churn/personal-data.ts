import { definePersonalData, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** The offers that a customer has accepted. What they say is the store's; the reason is one of nine. */
export const contractOffersHeld = definePersonalData({
  table: 'contract_offers',
  columns: [],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('contract', s.platform_contract_id, 'offer', o.name, 'type', o.type, 'status', o.status, 'reason', o.reason,
                              'accepted_at', o.accepted_at, 'ended_at', o.ended_at, 'ended_by', o.ended_by) as held
      from contract_offers o join subscriptions s on s.store_id = ${storeId} and s.id = o.subscription_id
     where o.store_id = ${storeId} and s.member_id = any(${memberIds}::bigint[]) order by o.id`,
  erase: inOneStep()
})
