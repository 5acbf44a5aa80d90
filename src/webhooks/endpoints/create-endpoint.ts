import type { AddressRules } from '#kit/addresses'
import type { Ctx, Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { tooManyEndpoints } from '../refusals.ts'
import { newSigningSecret, secretPurpose } from '../signing/sign-delivery.ts'
import { type Endpoint, endpointOf, type WebhookSettings } from './endpoint.ts'
import { checkDescription, checkEvents, checkUrl } from './endpoint-fields.ts'
import { countEndpoints, findEndpointRow, insertEndpoint, lockEndpointList } from './endpoint-queries.ts'

/** Without `events` it receives every type, including future ones. */
export type NewEndpoint = { url: string; events?: string[]; description?: string }

/** What `checkNewEndpoint` has found usable. */
type CheckedEndpoint = { url: string; events: string[] | null; description: string }

/** Each makes a row and a POST of every event, so their number has a bound; the spec names none. */
const MAX_ENDPOINTS = 1000

/** Registers an endpoint. The secret is returned only here. */
export async function createEndpoint(
  db: Database,
  storeId: number,
  given: NewEndpoint,
  { vault, addresses }: WebhookSettings
): Promise<Endpoint & { secret: string }> {
  const checked = await checkNewEndpoint(db, storeId, given, { addresses })
  return db.inStore(storeId, (ctx) => addEndpoint(ctx, checked, { vault }))
}

/**
 * Refuses what no endpoint can have. It has the database as an argument and not a transaction, since it resolves the name in the
 * URL and no transaction should wait for the DNS.
 */
export async function checkNewEndpoint(
  db: Database,
  storeId: number,
  given: NewEndpoint,
  { addresses }: { addresses: AddressRules }
): Promise<CheckedEndpoint> {
  const events = checkEvents(given.events ?? null)
  const description = checkDescription(given.description ?? '')
  return { events, description, url: await checkUrl(db, storeId, given.url, addresses) }
}

/** Registers what was checked. */
export async function addEndpoint(
  ctx: Ctx,
  checked: CheckedEndpoint,
  { vault }: { vault: Vault }
): Promise<Endpoint & { secret: string }> {
  await lockEndpointList(ctx)
  if ((await countEndpoints(ctx)) >= MAX_ENDPOINTS) throw tooManyEndpoints(MAX_ENDPOINTS)
  const secret = newSigningSecret()
  const id = await insertEndpoint(ctx, { ...checked, secret: vault.seal(secretPurpose(ctx.storeId), secret) })

  return { ...endpointOf((await findEndpointRow(ctx, id))!), secret }
}
