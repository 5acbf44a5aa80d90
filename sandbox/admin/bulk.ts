import { GraphQLError, type GraphQLResolveInfo } from 'graphql'
import { readBulkQuery } from '../bulk/bulk-query.ts'
import { signFile } from '../bulk/result-file.ts'
import {
  type BulkOperation,
  cancelBulkOperation,
  countOpenBulkOperations,
  findBulkOperation,
  findNewestBulkOperation,
  insertBulkOperation
} from '../state/bulk-operations.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { numberIn } from '../wire/gid.ts'
import { userError } from './user-errors.ts'

/** The most operations that may run at once; 1 in API versions before 2026. */
const MAX_OPEN = 5

async function run(_root: unknown, { query }: { query: string }, api: Api, info: GraphQLResolveInfo) {
  const refused = (field: string[] | null, message: string, code: string) => ({
    bulkOperation: null,
    userErrors: [userError(field, message, code)]
  })
  try {
    readBulkQuery(info.schema, query)
  } catch (err) {
    if (!(err instanceof GraphQLError || err instanceof Error)) throw err
    return refused(['query'], err.message, 'INVALID')
  }
  const { open, max } = await countOpenBulkOperations(api.db.direct, api.shop.storeId)
  if (open >= (max ?? MAX_OPEN)) {
    const busy = `A bulk query operation for this app and shop is already in progress: limit ${max ?? MAX_OPEN}.`
    return refused(null, busy, 'OPERATION_IN_PROGRESS')
  }
  const id = await api.write((q, now) => insertBulkOperation(q, api.shop.storeId, query, now))
  return { bulkOperation: await findBulkOperation(api.db.direct, api.shop.storeId, id), userErrors: [] }
}

async function cancel(_root: unknown, { id }: { id: string }, api: Api) {
  const number = numberIn(api.shop, 'BulkOperation', id)
  const operation = await findBulkOperation(api.db.direct, api.shop.storeId, number)
  if (!operation) return { bulkOperation: null, userErrors: [userError(['id'], 'Bulk operation does not exist')] }
  const canceled = await api.write((q, now) => cancelBulkOperation(q, api.shop.storeId, number, now))
  const bulkOperation = await findBulkOperation(api.db.direct, api.shop.storeId, number)
  const late = `A bulk operation cannot be canceled when it is ${operation.status.toLowerCase()}`
  return { bulkOperation, userErrors: canceled ? [] : [userError(null, late)] }
}

const fileOf = ({ id, fileSize }: BulkOperation, { baseUrl, shop }: Api) =>
  fileSize === null ? null : `${baseUrl}/bulk/${id}.jsonl?signature=${signFile(shop, id)}`

export const bulkResolvers: Resolvers = {
  QueryRoot: {
    bulkOperation: async (_root: unknown, { id }: { id: string }, api: Api) =>
      findBulkOperation(api.db.direct, api.shop.storeId, numberIn(api.shop, 'BulkOperation', id), await api.now()),
    currentBulkOperation: async (_root: unknown, _args: unknown, api: Api) =>
      findNewestBulkOperation(api.db.direct, api.shop.storeId, await api.now())
  },
  Mutation: { bulkOperationRunQuery: run, bulkOperationCancel: cancel },
  BulkOperation: {
    type: () => 'QUERY',
    fileSize: (operation: BulkOperation) => (operation.status === 'COMPLETED' ? operation.fileSize : null),
    url: (operation: BulkOperation, _args: unknown, api: Api) =>
      operation.status === 'COMPLETED' ? fileOf(operation, api) : null,
    partialDataUrl: (operation: BulkOperation, _args: unknown, api: Api) =>
      operation.status === 'FAILED' ? fileOf(operation, api) : null
  }
}
