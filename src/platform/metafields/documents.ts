import { document } from '../wire/document.ts'

const FIELDS = 'key type value compareDigest'

export const ShopMetafields = document(`query ShopMetafields($keys: [String!]!) {
  shop { id metafields(first: 25, keys: $keys) { nodes { ${FIELDS} } } }
}`)

export const CustomerMetafields = document(`query CustomerMetafields($ids: [ID!]!, $keys: [String!]!) {
  nodes(ids: $ids) { ... on Customer { id metafields(first: 10, keys: $keys) { nodes { ${FIELDS} } } } }
}`)

export const DiscountMetafields = document(`query DiscountMetafields($ids: [ID!]!, $keys: [String!]!) {
  nodes(ids: $ids) { ... on DiscountAutomaticNode { id metafields(first: 5, keys: $keys) { nodes { ${FIELDS} } } } }
}`)

export const MetafieldsSet = document(`mutation MetafieldsSet($metafields: [MetafieldsSetInput!]!) {
  metafieldsSet(metafields: $metafields) { metafields { compareDigest } userErrors { field message code } }
}`)

export const MetafieldsDelete = document(`mutation MetafieldsDelete($metafields: [MetafieldIdentifierInput!]!) {
  metafieldsDelete(metafields: $metafields) { deletedMetafields { key } userErrors { field message } }
}`)

export const MetafieldDefinitions =
  document(`query MetafieldDefinitions($ownerType: MetafieldOwnerType!, $namespace: String!) {
  metafieldDefinitions(first: 100, ownerType: $ownerType, namespace: $namespace) { nodes { key type { name } } }
}`)

/** So many definitions are made by one call. */
export const DEFINITIONS_PER_CALL = 9

const nth = Array.from({ length: DEFINITIONS_PER_CALL }, (_, i) => i)

export const MetafieldDefinitionsCreate = document(`mutation MetafieldDefinitionsCreate(${nth
  .map((i) => `$d${i}: MetafieldDefinitionInput!`)
  .join(', ')}) {
  ${nth.map((i) => `d${i}: metafieldDefinitionCreate(definition: $d${i}) { userErrors { message code } }`).join('\n  ')}
}`)
