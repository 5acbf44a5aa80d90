import { document } from '../wire/document.ts'

export const CollectionProducts = document(`query CollectionProducts($id: ID!, $after: String) {
  collection(id: $id) {
    products(first: 250, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
  }
}`)
