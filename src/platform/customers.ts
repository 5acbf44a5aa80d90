import { mapBounded } from './bounded.ts'
import { byIds } from './by-ids.ts'
import type { PlatformClient } from './client.ts'
import { CustomersByIds, CustomerUpdate } from './documents.ts'
import type { PlatformResult } from './outcome.ts'
import { gid, type ProfileName } from './profiles.ts'
import { readCustomer } from './read-answers.ts'
import type { CustomerChange, PlatformCustomer } from './shapes.ts'

const AT_ONCE = 8

export function fetchCustomers(client: PlatformClient, profile: ProfileName, ids: string[]) {
  return byIds(client, profile, 'Customer', CustomersByIds, ids, readCustomer)
}

/** Each customer in a document of its own: what the platform objects to in one must not stop the others. */
export function updateCustomers(
  client: PlatformClient,
  profile: ProfileName,
  changes: CustomerChange[]
): Promise<PlatformResult<PlatformCustomer>[]> {
  return mapBounded(changes, AT_ONCE, ({ id, ...fields }) =>
    client.mutate(CustomerUpdate, { input: { id: gid(profile, 'Customer', id), ...fields } }, (payload) =>
      readCustomer(payload.at('customer'))
    )
  )
}
