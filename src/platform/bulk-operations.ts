import type { PlatformClient } from './client.ts'
import { BulkOperationById, BulkOperationCancel, BulkOperationNewest, BulkQueryRun } from './documents.ts'
import type { Fields } from './fields.ts'
import type { PlatformResult } from './outcome.ts'
import { gid, type ProfileName } from './profiles.ts'
import type { BulkOperation } from './shapes.ts'

/** Starts a query over everything. The value is the operation's id. The platform keeps `query` as it is written. */
export function runBulkQuery(client: PlatformClient, query: string): Promise<PlatformResult<string>> {
  return client.mutate(BulkQueryRun, { query }, (payload) => payload.at('bulkOperation').id('id'))
}

/** Null when the platform knows it no more. */
export function fetchBulkOperation(
  client: PlatformClient,
  profile: ProfileName,
  id: string
): Promise<PlatformResult<BulkOperation | null>> {
  return client.query(BulkOperationById, { id: gid(profile, 'BulkOperation', id) }, (data) => {
    const found = data.maybeAt('bulkOperation')
    return found && readBulkOperation(found)
  })
}

/** The newest of ours, whatever its query; null when there is none. */
export function fetchNewestBulkOperation(client: PlatformClient): Promise<PlatformResult<BulkOperation | null>> {
  return client.query(BulkOperationNewest, {}, (data) => {
    const found = data.maybeAt('currentBulkOperation')
    return found && readBulkOperation(found)
  })
}

/** Has one stop that is still under way; one that is over is `rejected`. */
export function cancelBulkOperation(
  client: PlatformClient,
  profile: ProfileName,
  id: string
): Promise<PlatformResult<null>> {
  return client.mutate(BulkOperationCancel, { id: gid(profile, 'BulkOperation', id) }, () => null)
}

function readBulkOperation(operation: Fields): BulkOperation {
  return {
    id: operation.id('id'),
    status: operation.lower('status'),
    query: operation.text('query'),
    errorCode: operation.maybeText('errorCode')?.toLowerCase() ?? null,
    objectCount: Number(operation.digits('objectCount')),
    url: operation.maybeText('url')
  }
}
