import type { AddressRules } from '#kit/addresses'
import type { Ctx, Database } from '#kit/postgres'
import { endpointNotFound, fixedListener } from '../refusals.ts'
import { type Endpoint, endpointIdOf, endpointOf } from './endpoint.ts'
import { checkDescription, checkEvents, checkUrl } from './endpoint-fields.ts'
import { findEndpointRow, lockEndpointRow, rewriteEndpoint } from './endpoint-queries.ts'

/** Fields that are left out stay. `events` null: every type. */
export type EndpointChanges = { url?: string; events?: string[] | null; description?: string }

/** Changes an endpoint. Its open deliveries are sent to the new URL, whose failures count from zero. */
export async function updateEndpoint(
  db: Database,
  storeId: number,
  id: string,
  changes: EndpointChanges,
  { addresses }: { addresses: AddressRules }
): Promise<Endpoint> {
  const checked = await checkEndpointChanges(db, storeId, id, changes, { addresses })
  return db.inStore(storeId, (ctx) => changeEndpoint(ctx, id, checked))
}

/** Refuses an unknown endpoint and what none can have. Outside a transaction for the reason that checkNewEndpoint has. */
export async function checkEndpointChanges(
  db: Database,
  storeId: number,
  id: string,
  { url, events, description }: EndpointChanges,
  { addresses }: { addresses: AddressRules }
): Promise<EndpointChanges> {
  const internal = endpointIdOf(id)
  const checked = {
    ...(events !== undefined && { events: checkEvents(events) }),
    ...(description !== undefined && { description: checkDescription(description) })
  }
  if (!(await db.inStore(storeId, (ctx) => findEndpointRow(ctx, internal)))) throw endpointNotFound(id)
  return { ...checked, ...(url !== undefined && { url: await checkUrl(db, storeId, url, addresses) }) }
}

/** Makes changes that were checked. */
export async function changeEndpoint(
  ctx: Ctx,
  id: string,
  { url, events, description }: EndpointChanges
): Promise<Endpoint> {
  const internal = endpointIdOf(id)
  const before = await lockEndpointRow(ctx, internal)
  if (!before) throw endpointNotFound(id)
  if (before.kind === 'listener') throw fixedListener(id)
  await rewriteEndpoint(ctx, internal, {
    url: url ?? before.url,
    events: events === undefined ? before.events : events,
    description: description ?? before.description
  })
  return endpointOf((await findEndpointRow(ctx, internal))!)
}
