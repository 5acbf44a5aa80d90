import { GraphQLError, type GraphQLResolveInfo } from 'graphql'
import type { Queries } from '#kit/postgres'
import { readBulkMutation } from '../bulk/bulk-mutation.ts'
import { readBulkQuery } from '../bulk/bulk-query.ts'
import { signFile } from '../bulk/result-file.ts'
import {
  type BulkOperation,
  type BulkType,
  cancelBulkOperation,
  findBulkOperation,
  findBulkOperations,
  findNewestBulkOperation,
  insertBulkOperation,
  openBulkOperations
} from '../state/bulk-operations.ts'
import { findStagedUpload } from '../state/staged-uploads.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import type { PageArgs } from '../wire/connections.ts'
import { gid, numberIn } from '../wire/gid.ts'
import { listing } from '../wire/pages.ts'
import { userError } from './user-errors.ts'

/** The most operations of a type that may run at once; 1 in API versions before 2026. */
const MAX_OPEN = 5
const MAX_BYTES = 65_535
const CLIENT_IDENTIFIER = { least: 10, most: 255 }

const pageOfOperations = listing({
  table: 'sandbox.bulk_operations',
  sorts: { CREATED_AT: 'created_at', COMPLETED_AT: 'completed_at' },
  where: `($6::jsonb->>'status_eq' is null or lower(status) = lower($6::jsonb->>'status_eq'))
               and ($6::jsonb->>'operation_type_eq' is null or lower(type) = lower($6::jsonb->>'operation_type_eq'))`
})

const refused = (field: string[] | null, message: string, code?: string) => ({
  bulkOperation: null,
  userErrors: [userError(field, message, code)]
})

/** The ids of the operations that leave no room for another of their type; null if there is room. */
async function inTheWay(q: Queries, api: Api, type: BulkType): Promise<string | null> {
  const { ids, max } = await openBulkOperations(q, api.shop.storeId, type)
  if (ids.length < (max ?? MAX_OPEN)) return null
  const list = ids.map((id) => gid(api.shop, 'BulkOperation', id)).join(', ')
  return `A bulk ${type.toLowerCase()} operation for this app and shop is already in progress: ${list}.`
}

async function begin(api: Api, fields: { type: BulkType; query: string; uploadKey: string | null }) {
  const busy = await inTheWay(api.db.direct, api, fields.type)
  if (busy) return refused(null, busy, 'OPERATION_IN_PROGRESS')
  const id = await api.write((q, now) => insertBulkOperation(q, api.shop.storeId, fields, now))
  return { bulkOperation: await findBulkOperation(api.db.direct, api.shop.storeId, id), userErrors: [] }
}

async function runQuery(_root: unknown, { query }: { query: string }, api: Api, info: GraphQLResolveInfo) {
  const bytes = Buffer.byteLength(query)
  if (bytes > MAX_BYTES) {
    return refused(['query'], `Query is too large (${bytes} bytes; maximum is ${MAX_BYTES} bytes)`, 'INVALID')
  }
  try {
    readBulkQuery(info.schema, query)
  } catch (err) {
    if (!(err instanceof GraphQLError || err instanceof Error)) throw err
    return refused(['query'], err.message, 'INVALID')
  }
  return begin(api, { type: 'QUERY', query, uploadKey: null })
}

type MutationArgs = { mutation: string; stagedUploadPath: string; clientIdentifier?: string | null }

async function runMutation(_root: unknown, args: MutationArgs, api: Api, info: GraphQLResolveInfo) {
  const { mutation, stagedUploadPath, clientIdentifier } = args
  const parsed = readBulkMutation(info.schema, mutation)
  if ('problem' in parsed) return refused(parsed.problem.field, parsed.problem.message, parsed.problem.code)
  const file = await findStagedUpload(api.db.direct, api.shop.storeId, stagedUploadPath)
  if (file === null) {
    const none =
      "The JSONL file could not be found. Try uploading the file again, and check that you've entered the URL correctly for the stagedUploadPath mutation argument."
    return refused(null, none, 'NO_SUCH_FILE')
  }
  const { least, most } = CLIENT_IDENTIFIER
  const length = clientIdentifier?.length ?? least
  if (length < least) {
    return refused(['clientIdentifier'], `is too short (minimum is ${least} characters)`, 'INVALID_MUTATION')
  }
  if (length > most) {
    return refused(['clientIdentifier'], `is too long (maximum is ${most} characters)`, 'INVALID_MUTATION')
  }
  const bytes = Buffer.byteLength(mutation)
  if (bytes > MAX_BYTES) {
    return refused(['query'], `is too large (${bytes} bytes; maximum is ${MAX_BYTES} bytes)`, 'INVALID_MUTATION')
  }
  return begin(api, { type: 'MUTATION', query: mutation, uploadKey: stagedUploadPath })
}

async function cancel(_root: unknown, { id }: { id: string }, api: Api) {
  const number = numberIn(api.shop, 'BulkOperation', id)
  const operation = await findBulkOperation(api.db.direct, api.shop.storeId, number)
  if (!operation) return { bulkOperation: null, userErrors: [userError(['id'], 'Bulk operation does not exist')] }
  const canceled = await api.write((q, now) => cancelBulkOperation(q, api.shop.storeId, number, now))
  const bulkOperation = await findBulkOperation(api.db.direct, api.shop.storeId, number)
  // One that is being canceled may be canceled again.
  if (canceled || operation.status === 'CANCELING') return { bulkOperation, userErrors: [] }
  const late = `A bulk operation cannot be canceled when it is ${operation.status.toLowerCase()}`
  return { bulkOperation, userErrors: [userError(null, late)] }
}

const fileOf = ({ id, fileSize }: BulkOperation, { baseUrl, shop }: Api) =>
  fileSize === null ? null : `${baseUrl}/bulk/${id}.jsonl?signature=${signFile(shop, id)}`

export const bulkResolvers: Resolvers = {
  QueryRoot: {
    bulkOperation: async (_root: unknown, { id }: { id: string }, api: Api) =>
      findBulkOperation(api.db.direct, api.shop.storeId, numberIn(api.shop, 'BulkOperation', id), await api.now()),
    bulkOperations: async (_root: unknown, args: PageArgs & { query?: string | null; sortKey?: string }, api: Api) => {
      const now = await api.now()
      const { direct } = api.db
      return pageOfOperations(direct, api.shop.storeId, args, async (ids) => {
        const found = await findBulkOperations(direct, api.shop.storeId, ids, now)
        return ids.flatMap((id) => found.find((one) => one.id === id) ?? [])
      })
    },
    currentBulkOperation: async (_root: unknown, { type }: { type?: BulkType | null }, api: Api) =>
      findNewestBulkOperation(api.db.direct, api.shop.storeId, type ?? 'QUERY', await api.now())
  },
  Mutation: { bulkOperationRunQuery: runQuery, bulkOperationRunMutation: runMutation, bulkOperationCancel: cancel },
  BulkOperation: {
    fileSize: (operation: BulkOperation) => (operation.status === 'COMPLETED' ? operation.fileSize : null),
    url: (operation: BulkOperation, _args: unknown, api: Api) =>
      operation.status === 'COMPLETED' ? fileOf(operation, api) : null,
    partialDataUrl: (operation: BulkOperation, _args: unknown, api: Api) =>
      operation.status === 'FAILED' ? fileOf(operation, api) : null
  }
}
