import { document } from '../wire/document.ts'

export const CustomerTags = document(`query CustomerTags($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Customer { id tags } }
}`)

export const OrderTags = document(`query OrderTags($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Order { id tags } }
}`)

export const CustomerTagsAdd = document(`mutation CustomerTagsAdd($id: ID!, $tags: [String!]!) {
  tagsAdd(id: $id, tags: $tags) { node { ... on Customer { id tags } } userErrors { field message } }
}`)

export const CustomerTagsRemove = document(`mutation CustomerTagsRemove($id: ID!, $tags: [String!]!) {
  tagsRemove(id: $id, tags: $tags) { node { ... on Customer { id tags } } userErrors { field message } }
}`)

export const OrderTagsAdd = document(`mutation OrderTagsAdd($id: ID!, $tags: [String!]!) {
  tagsAdd(id: $id, tags: $tags) { node { ... on Order { id tags } } userErrors { field message } }
}`)

export const OrderTagsRemove = document(`mutation OrderTagsRemove($id: ID!, $tags: [String!]!) {
  tagsRemove(id: $id, tags: $tags) { node { ... on Order { id tags } } userErrors { field message } }
}`)
