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
