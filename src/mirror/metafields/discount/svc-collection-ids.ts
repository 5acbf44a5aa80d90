import { globalId, listOf, meaning, objectOf, textOf } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** Whom and what the discount functions apply to (spec 3, svc_collection_ids). */
export const collectionIds = defineMetafield({
  owner: 'discount',
  key: 'svc_collection_ids',
  type: 'json',
  name: 'Members and collections',
  help: 'The tags of active members, and the collections of both main plans.',
  field: objectOf({
    customerVipTag: meaning('Tags of VIP members', listOf(textOf(255, 1), 10)),
    customerEliteTag: meaning('Tags of Elite members', listOf(textOf(255, 1), 10)),
    collectionIds: meaning('Global ids of the collections', listOf(globalId('Collection'), 100))
  })
})
