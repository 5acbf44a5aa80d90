import { document } from '../wire/document.ts'
import { OrderParts } from './order.ts'

export const OrdersByIds = document(`query OrdersByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Order { ...OrderParts } }
}
${OrderParts}`)
