import type { Database } from '#kit/postgres'
import { newSigningSecret, secretPurpose } from '../delivery/sign-delivery.ts'
import { tooManyEndpoints } from '../refusals.ts'
import { type Endpoint, endpointOf, type WebhookSettings } from './endpoint.ts'
import { checkDescription, checkEvents, checkUrl } from './endpoint-fields.ts'
import { countEndpoints, findEndpointRow, insertEndpoint, lockEndpointList } from './endpoint-queries.ts'

/** `events` left out: it hears of every type, those to come included. */
export type NewEndpoint = { url: string; events?: string[]; description?: string }

/** Each makes a row and a POST of every event, so their number has a bound; the spec names none. */
const MAX_ENDPOINTS = 1000

/**
 * Registers a receiver. The secret is in this answer and nowhere else. Takes the database and not a transaction, since
 * it asks the DNS about the URL's name and no transaction should wait for that.
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

  const made = await db.inStore(storeId, async (ctx) => {
    await lockEndpointList(ctx)
    if ((await countEndpoints(ctx)) >= MAX_ENDPOINTS) throw tooManyEndpoints(MAX_ENDPOINTS)
    const sealed = vault.seal(secretPurpose(storeId), secret)
    const id = await insertEndpoint(ctx, { url, events, description, secret: sealed })
    return findEndpointRow(ctx, id)
  })

  return { ...endpointOf(made!), secret }
}
