import { certainlyAbout, definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/**
 * Orders keep their number, their amounts and what was bought. What the customer is called, where they live and what they wrote goes, as do
 * the tags, which people put there about them.
 */
export const ordersHeld = definePersonalData({
  table: 'orders',
  columns: [
    'email',
    'customer_name',
    'province',
    'country_code',
    'tags',
    'attributes',
    'discount_codes',
    'coupons',
    'automatic_discounts',
    'lines',
    'message_digest',
    'read_digest'
  ],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(o) - '{store_id,message_digest,read_digest,details_at,platform_updated_at}'::text[]
           || jsonb_build_object(
                'refunds', (select coalesce(jsonb_agg(to_jsonb(r) - '{store_id,order_id}'::text[]), '[]') from platform_refunds r
                             where r.store_id = ${storeId} and r.order_id = o.id),
                'transactions', (select coalesce(jsonb_agg(to_jsonb(t) - '{store_id,order_id}'::text[]), '[]') from order_transactions t
                                  where t.store_id = ${storeId} and t.order_id = o.id),
                'disputes', (select coalesce(jsonb_agg(to_jsonb(d) - '{store_id,order_id}'::text[]), '[]') from order_disputes d
                              where d.store_id = ${storeId} and d.order_id = o.id)) as held
      from orders o where o.store_id = ${storeId} and o.member_id = any(${memberIds}::bigint[]) order by o.id`,
  erase: inOneStep(
    ({ storeId, now }, person) => sql`
    update orders
       set email = null, customer_name = null, province = null, country_code = null, tags = '{}',
           attributes = case when attributes is not null then '[]'::jsonb end,
           discount_codes = regexp_replace(discount_codes::text, ${identifiersOf(person)}, 'erased', 'gi')::text[],
           coupons = regexp_replace(coupons::text, ${identifiersOf(person)}, 'erased', 'gi')::jsonb,
           automatic_discounts = regexp_replace(automatic_discounts::text, ${identifiersOf(person)}, 'erased', 'gi')::jsonb,
           lines = regexp_replace(lines::text, ${identifiersOf(person)}, 'erased', 'gi')::jsonb,
           message_digest = null, read_digest = null, updated_at = ${now}
     where store_id = ${storeId}
       and (member_id = any(${person.memberIds}::bigint[]) or platform_order_id = any(${person.orderNumbers}::text[]))
       and (num_nonnulls(email, customer_name, province, country_code, message_digest, read_digest) > 0
            or cardinality(tags) > 0 or attributes <> '[]'::jsonb
            or concat_ws(' ', discount_codes, coupons, automatic_discounts, lines) ~* ${identifiersOf(person)})`
  )
})

/** What reports about an order contradicted; it may quote them. */
export const discrepanciesHeld = definePersonalData({
  table: 'order_discrepancies',
  columns: ['subject', 'message'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update order_discrepancies set subject = regexp_replace(subject, ${identifiersOf(person)}, 'erased', 'gi'),
                                   message = regexp_replace(message, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and concat_ws(' ', subject, message) ~* ${certainlyAbout(person)}`
  )
})

/** Why reading the platform's orders failed. */
export const orderWalksHeld = definePersonalData({
  table: 'order_walks',
  columns: ['last_error'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update order_walks set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and last_error ~* ${certainlyAbout(person)}`
  )
})
