import type { AddressRules } from '#kit/addresses'
import type { Database } from '#kit/postgres'
import { endpointNotFound, fixedListener } from '../refusals.ts'
import { type Endpoint, endpointIdOf, endpointOf } from './endpoint.ts'
import { checkDescription, checkEvents, checkUrl } from './endpoint-fields.ts'
import { findEndpointRow, lockEndpointRow, rewriteEndpoint } from './endpoint-queries.ts'

/** Fields that are left out stay. `events` null: every type. */
export type EndpointChanges = { url?: string; events?: string[] | null; description?: string }

/**
 * Changes an endpoint. Its open deliveries are sent to the new URL, whose failures count from zero. It has the database as an
 * argument for the reason that createEndpoint has.
 */
export async function updateEndpoint(
  db: Database,
  storeId: number,
  id: string,
  changes: EndpointChanges,
  { addresses }: { addresses: AddressRules }
): Promise<Endpoint> {
  const internal = endpointIdOf(id)
  const events = changes.events === undefined ? undefined : checkEvents(changes.events)
  const description = changes.description === undefined ? undefined : checkDescription(changes.description)
  if (!(await db.inStore(storeId, (ctx) => findEndpointRow(ctx, internal)))) throw endpointNotFound(id)
  const url = changes.url === undefined ? undefined : await checkUrl(db, storeId, changes.url, addresses)

  return db.inStore(storeId, async (ctx) => {
    const before = await lockEndpointRow(ctx, internal)
    if (!before) throw endpointNotFound(id)
    if (before.kind === 'listener') throw fixedListener(id)
    await rewriteEndpoint(ctx, internal, {
      url: url ?? before.url,
      events: events === undefined ? before.events : events,
      description: description ?? before.description,
      failingSince: url === undefined || url === before.url ? before.failingSince : null
    })
    return endpointOf((await findEndpointRow(ctx, internal))!)
  })
}
