import { document } from '../wire/document.ts'

export const SegmentsByIds = document(`query SegmentsByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Segment { id name query } }
}`)

export const SegmentsByName = document(`query SegmentsByName($name: String!) {
  segments(first: 25, query: $name) { nodes { id name query } }
}`)

export const SegmentCreate = document(`mutation SegmentCreate($name: String!, $query: String!) {
  segmentCreate(name: $name, query: $query) { segment { id } userErrors { field message } }
}`)

export const SegmentUpdate = document(`mutation SegmentUpdate($id: ID!, $name: String!, $query: String!) {
  segmentUpdate(id: $id, name: $name, query: $query) { segment { id } userErrors { field message } }
}`)
