import { mapConcurrently } from '#kit/map-concurrently'
import type { PlatformClient } from './client.ts'
import { type AdminDocument, idsPerDocument } from './document.ts'
import type { Fields } from './fields.ts'
import { failed, type PlatformFailure, type PlatformResult, succeeded } from './outcome.ts'

const BATCHES_AT_ONCE = 4

/**
 * Reads objects of one type by `nodes(ids:)`. Leaves out ids that the platform does not know or that belong to another type.
 * The first failure is the failure of all: in half a list, the missing half would look deleted. So is an object that we may not
 * read, unless it may count as missing (`withheld: 'missing'`).
 */
export async function findByIds<T extends { id: string }>(
  client: PlatformClient,
  type: string,
  document: AdminDocument,
  ids: string[],
  read: (node: Fields) => T,
  {
    withheld = 'failure',
    variables = {}
  }: { withheld?: 'failure' | 'missing'; variables?: Record<string, unknown> } = {}
): Promise<PlatformResult<Map<string, T>>> {
  const gids = [...new Set(ids)].map((id) => client.gid(type, id))
  const atOnce = idsPerDocument(document)
  const batches = Array.from({ length: Math.ceil(gids.length / atOnce) }, (_, i) =>
    gids.slice(i * atOnce, (i + 1) * atOnce)
  )
  const results = await mapConcurrently(batches, BATCHES_AT_ONCE, (batch) =>
    client.query(document, { ...variables, ids: batch }, (data) => ({
      isWithheld: data.hasWithheldEntries('nodes'),
      nodes: data
        .known('nodes')
        .filter((node) => node.has('id'))
        .map(read)
    }))
  )
  const found = new Map<string, T>()
  for (const result of results) {
    if (!result.ok) return result
    if (result.value.isWithheld && withheld === 'failure') return failed(notReadable(type))
    for (const one of result.value.nodes) found.set(one.id, one)
  }
  return succeeded(found)
}

export const notReadable = (type: string): PlatformFailure => ({
  kind: 'unauthorized',
  message: `The platform withholds an object of type ${type}`,
  code: 'access_denied'
})

/** What an object is asked that the platform does not have. */
export const notFound = (type: string, id: string): PlatformFailure => ({
  kind: 'rejected',
  message: `The platform has no ${type} ${id}`,
  code: 'not_found'
})
