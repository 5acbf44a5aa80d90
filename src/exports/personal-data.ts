import { certainlyAbout, definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** Points that another service has for the customer: a copy, which goes. */
export const rewardBalancesHeld = definePersonalData({
  table: 'reward_balances',
  columns: ['key'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('integration', b.key, 'points', b.points, 'updated_at', b.updated_at) as held from reward_balances b
     where b.store_id = ${storeId} and b.member_id = any(${memberIds}::bigint[]) order by b.key`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    delete from reward_balances where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])`
  )
})

/** Why a pull of balances failed. */
export const rewardPullsHeld = definePersonalData({
  table: 'reward_pulls',
  columns: ['last_error'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update reward_pulls set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and last_error ~* ${certainlyAbout(person)}`
  )
})
