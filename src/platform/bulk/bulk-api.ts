import type { PlatformClient } from '../wire/client.ts'
import type { PlatformFile } from '../wire/download-lines.ts'
import type { Fields } from '../wire/fields.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { BulkOperationById, BulkOperationCancel, BulkOperationsNewest, BulkQueryRun } from './documents.ts'

export type BulkOperation = {
  id: string
  /** Lower case: created, running, completed, failed, canceling, canceled, expired, or a newer one. */
  status: string
  /** As it was submitted. */
  query: string
  errorCode: string | null
  /** The number of objects read so far. */
  objectCount: number
  /** The result file of a completed operation that found something. The partial file of a failed one is not requested. */
  file: PlatformFile | null
}

export type BulkApi = {
  /**
   * Starts a query over all objects. The value is the operation's id. The platform keeps `query` as it is written. `isGrouped`: in the file, what belongs
   * to an object follows it, which takes the platform longer.
   */
  run(query: string, options?: { isGrouped?: boolean }): Promise<PlatformResult<string>>
  /** Null when the platform does not have the operation any more. */
  find(id: string): Promise<PlatformResult<BulkOperation | null>>
  /** The newest operations of ours, whatever their queries, the newest first: at most twenty. */
  findNewest(): Promise<PlatformResult<BulkOperation[]>>
  /** Stops an operation; one that has ended is `rejected`. */
  cancel(id: string): Promise<PlatformResult<null>>
}

export function createBulkApi(client: PlatformClient): BulkApi {
  return {
    run: (query, { isGrouped = false } = {}) =>
      client.maintain(BulkQueryRun, { query, groupObjects: isGrouped }, (payload) =>
        payload.at('bulkOperation').id('id')
      ),
    find: (id) =>
      client.query(BulkOperationById, { id: client.gid('BulkOperation', id) }, (data) => {
        const found = data.maybeAt('bulkOperation')
        return found && readBulkOperation(found, client)
      }),
    findNewest: () =>
      client.query(BulkOperationsNewest, {}, (data) =>
        data
          .at('bulkOperations')
          .list('nodes')
          .map((one) => readBulkOperation(one, client))
      ),
    cancel: (id) => client.maintain(BulkOperationCancel, { id: client.gid('BulkOperation', id) }, () => null)
  }
}

function readBulkOperation(operation: Fields, client: PlatformClient): BulkOperation {
  const url = operation.maybeText('url')
  return {
    id: operation.id('id'),
    status: operation.lower('status'),
    query: operation.text('query'),
    errorCode: operation.maybeText('errorCode')?.toLowerCase() ?? null,
    objectCount: Number(operation.digits('objectCount')),
    file: url === null ? null : { url, isOnPlatform: client.isOnPlatform(url) }
  }
}
