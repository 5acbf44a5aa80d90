import { certainlyAbout, definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** Contracts that were asked for: for whom, and under which key of the caller. */
export const creationsHeld = definePersonalData({
  table: 'subscription_creations',
  columns: ['platform_customer_id', 'idempotency_key', 'actor_id'],
  held: ({ storeId }, { customerIds }) => sql`
    select to_jsonb(c) - '{store_id,fingerprint,create_key}'::text[] as held from subscription_creations c
     where c.store_id = ${storeId} and c.platform_customer_id = any(${customerIds}::text[]) order by c.id`,
  // One that the platform has not answered is found by its key, whoever it is for.
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update subscription_creations
       set platform_customer_id = '0', actor_id = case when actor = 'customer' then null else actor_id end,
           idempotency_key = case when idempotency_key ~* ${certainlyAbout(person)} then null else idempotency_key end
     where store_id = ${storeId} and platform_customer_id = any(${person.customerIds}::text[])`
  )
})

/** Contracts that could not be read, and why. */
export const quarantinedHeld = definePersonalData({
  table: 'quarantined_contracts',
  columns: ['reason'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update quarantined_contracts set reason = regexp_replace(reason, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and reason ~* ${certainlyAbout(person)}`
  )
})
