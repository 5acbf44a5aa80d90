import type { Database } from '#kit/postgres'
import { tooManyEndpoints } from '../refusals.ts'
import { newSigningSecret, secretPurpose } from '../signing/sign-delivery.ts'
import { type Endpoint, endpointOf, type WebhookSettings } from './endpoint.ts'
import { checkDescription, checkEvents, checkUrl } from './endpoint-fields.ts'
import { countEndpoints, findEndpointRow, insertEndpoint, lockEndpointList } from './endpoint-queries.ts'

/** Without `events` it receives every type, including future ones. */
export type NewEndpoint = { url: string; events?: string[]; description?: string }

/** Each makes a row and a POST of every event, so their number has a bound; the spec names none. */
const MAX_ENDPOINTS = 1000

/**
 * Registers an endpoint. The secret is returned only here. It has the database as an argument and not a transaction, since
 * it resolves the name in the URL and no transaction should wait for the DNS.
 */
export async function createEndpoint(
  db: Database,
  storeId: number,
  given: NewEndpoint,
  { vault, addresses }: WebhookSettings
): Promise<Endpoint & { secret: string }> {
  const events = checkEvents(given.events ?? null)
  const description = checkDescription(given.description ?? '')
  const url = await checkUrl(db, storeId, given.url, addresses)
  const secret = newSigningSecret()

  const created = await db.inStore(storeId, async (ctx) => {
    await lockEndpointList(ctx)
    if ((await countEndpoints(ctx)) >= MAX_ENDPOINTS) throw tooManyEndpoints(MAX_ENDPOINTS)
    const sealed = vault.seal(secretPurpose(storeId), secret)
    const id = await insertEndpoint(ctx, { url, events, description, secret: sealed })
    return findEndpointRow(ctx, id)
  })

  return { ...endpointOf(created!), secret }
}
