import { mapBounded } from './bounded.ts'
import type { PlatformClient } from './client.ts'
import type { AdminDocument } from './document.ts'
import type { Fields } from './fields.ts'
import { type PlatformResult, succeeded } from './outcome.ts'
import { gid, type ProfileName } from './profiles.ts'

/** So many things in one document stay below 1000 points, the most that one may cost; a test counts them. */
export const CONTRACTS_AT_ONCE = 47
const BATCHES_AT_ONCE = 4

/**
 * Reads things of one type by `nodes(ids:)`. Ids that the platform does not know, or that are another type's, are left
 * out. The first failure is the failure of all: half a list would look like things that are gone.
 */
export async function byIds<T extends { id: string }>(
  client: PlatformClient,
  profile: ProfileName,
  type: string,
  document: AdminDocument,
  ids: string[],
  read: (node: Fields) => T
): Promise<PlatformResult<Map<string, T>>> {
  const gids = [...new Set(ids)].map((id) => gid(profile, type, id))
  const batches = Array.from({ length: Math.ceil(gids.length / CONTRACTS_AT_ONCE) }, (_, i) =>
    gids.slice(i * CONTRACTS_AT_ONCE, (i + 1) * CONTRACTS_AT_ONCE)
  )
  const answers = await mapBounded(batches, BATCHES_AT_ONCE, (batch) =>
    client.query(document, { ids: batch }, (data) =>
      data
        .known('nodes')
        .filter((node) => node.has('id'))
        .map(read)
    )
  )
  const found = new Map<string, T>()
  for (const answer of answers) {
    if (!answer.ok) return answer
    for (const thing of answer.value) found.set(thing.id, thing)
  }
  return succeeded(found)
}
