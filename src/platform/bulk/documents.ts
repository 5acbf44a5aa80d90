import { document } from '../wire/document.ts'

export const BulkQueryRun = document(`mutation BulkQueryRun($query: String!, $groupObjects: Boolean!) {
  bulkOperationRunQuery(query: $query, groupObjects: $groupObjects) {
    bulkOperation { id }
    userErrors { field message code }
  }
}`)

export const BulkOperationById = document(`query BulkOperationById($id: ID!) {
  bulkOperation(id: $id) { id status query errorCode objectCount url }
}`)

export const BulkOperationsNewest = document(`query BulkOperationsNewest {
  bulkOperations(first: 20, sortKey: CREATED_AT, reverse: true) { nodes { id status query errorCode objectCount url } }
}`)

export const BulkOperationCancel = document(`mutation BulkOperationCancel($id: ID!) {
  bulkOperationCancel(id: $id) { bulkOperation { id } userErrors { field message } }
}`)
