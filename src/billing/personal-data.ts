import { definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** Charges keep their amounts and outcomes, without the card and the page where its owner confirms them. */
export const attemptsHeld = definePersonalData({
  table: 'billing_attempts',
  columns: ['payment_method', 'action_url', 'error_message'],
  held: ({ storeId }, { subscriptionIds }) => sql`
    select to_jsonb(a) - '{store_id,lease_token,lease_owner,leased_until,idempotency_key,check_at,checks}'::text[] as held
      from billing_attempts a
     where a.store_id = ${storeId} and a.subscription_id = any(${subscriptionIds}::bigint[]) order by a.id`,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update billing_attempts
       set payment_method = null, action_url = null,
           error_message = regexp_replace(error_message, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and subscription_id = any(${person.subscriptionIds}::bigint[])
       and (num_nonnulls(payment_method, action_url) > 0 or error_message ~* ${identifiersOf(person)})`
  )
})
