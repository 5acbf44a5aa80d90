import { certainlyAbout, definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** The tags that the platform reported of a customer and of their orders: people write there what they like. */
export const knownTagsHeld = definePersonalData({
  table: 'known_tags',
  columns: ['tag', 'tag_key'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('of', t.kind, 'tag', t.tag) as held from known_tags t
     where t.store_id = ${storeId} and t.kind = 'customer' and t.owner_id = any(${memberIds}::bigint[]) order by t.tag_key`,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    delete from known_tags t
     where t.store_id = ${storeId}
       and ((t.kind = 'customer' and t.owner_id = any(${person.memberIds}::bigint[]))
            or (t.kind = 'order' and not t.is_ours and t.owner_id = any(array(
                 select o.id from orders o where o.store_id = ${storeId} and o.member_id = any(${person.memberIds}::bigint[])))))`
  )
})

/** What the platform said to tags that we wrote. */
export const tagOwnersHeld = definePersonalData({
  table: 'tag_owners',
  columns: ['last_error', 'problem'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update tag_owners set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi'),
                          problem = regexp_replace(problem, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and concat_ws(' ', last_error, problem) ~* ${certainlyAbout(person)}`
  )
})

/** Why comparing tags failed. */
export const tagWalksHeld = definePersonalData({
  table: 'tag_walks',
  columns: ['last_error'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update tag_walks set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and last_error ~* ${certainlyAbout(person)}`
  )
})

/** Hashes of what the customer's metafields say: whoever guesses it could check that. Nothing is written for an erased customer. */
export const knownMetafieldsHeld = definePersonalData({
  table: 'known_metafields',
  columns: ['value_hash', 'digest'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('metafield', k.key) as held from known_metafields k
     where k.store_id = ${storeId} and k.kind = 'customer' and k.owner_id = any(${memberIds}::bigint[]) order by k.key`,
  erase: inOneStep(
    ({ storeId }, { memberIds }) => sql`
    delete from known_metafields
     where store_id = ${storeId} and kind = 'customer' and owner_id = any(${memberIds}::bigint[])`
  )
})

/** What the platform said to metafields that we wrote. */
export const metafieldOwnersHeld = definePersonalData({
  table: 'metafield_owners',
  columns: ['last_error', 'problem'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update metafield_owners set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi'),
                                problem = regexp_replace(problem, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and concat_ws(' ', last_error, problem) ~* ${certainlyAbout(person)}`
  )
})

/** Why comparing metafields failed. */
export const metafieldStoresHeld = definePersonalData({
  table: 'metafield_stores',
  columns: ['last_error', 'file_error'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update metafield_stores set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi'),
                                file_error = regexp_replace(file_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and concat_ws(' ', last_error, file_error) ~* ${certainlyAbout(person)}`
  )
})

/** What the platform said to discounts of members on their contracts. */
export const contractDiscountsHeld = definePersonalData({
  table: 'contract_discounts',
  columns: ['last_error', 'problem'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update contract_discounts set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi'),
                                  problem = regexp_replace(problem, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and concat_ws(' ', last_error, problem) ~* ${certainlyAbout(person)}`
  )
})
