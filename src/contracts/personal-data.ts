import { certainlyAbout, definePersonalData, ERASED, identifiersOf, inOneStep } from '#kit/personal-data'
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

/** What customers have on contracts for some renewals. The platform may name them in what it says to it. */
export const grantsHeld = definePersonalData({
  table: 'contract_grants',
  columns: ['operation_id', 'problem'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('label', g.label, 'kind', g.kind, 'percent', g.percent, 'amount_minor', g.amount_minor,
                              'product_id', g.product_id, 'cycles', g.cycles, 'used_cycles', g.used_cycles, 'status', g.status,
                              'ended_by', g.ended_by, 'created_at', g.created_at, 'ended_at', g.ended_at) as held
      from contract_grants g where g.store_id = ${storeId} and g.member_id = any(${memberIds}::bigint[]) order by g.id`,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update contract_grants set problem = regexp_replace(problem, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and member_id = any(${person.memberIds}::bigint[]) and problem ~* ${identifiersOf(person)}`,
    // A reward of loyalty for a tag has the tag in it, which is what somebody wrote about the person.
    ({ storeId }, { memberIds }) => sql`
    update contract_grants set operation_id = ${`${ERASED}:`} || id
     where store_id = ${storeId} and member_id = any(${memberIds}::bigint[]) and operation_id not like ${`${ERASED}:%`}`
  )
})

/** Contracts of which grants are kept on the platform, and what it said to that last. */
export const grantedContractsHeld = definePersonalData({
  table: 'granted_contracts',
  columns: ['last_error'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update granted_contracts set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and last_error ~* ${certainlyAbout(person)}`
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
