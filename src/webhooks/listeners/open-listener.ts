import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { checkEvents } from '../endpoints/endpoint-fields.ts'
import { lockEndpointList } from '../endpoints/endpoint-queries.ts'
import { tooManyListeners } from '../refusals.ts'
import { newSigningSecret, secretPurpose } from '../signing/sign-delivery.ts'
import { countListeners, insertListener } from './listener-queries.ts'

/** `listeningUntil` is real time: until then it stays open without fetching. */
export type OpenedListener = { id: string; events: string[] | null; secret: string; listeningUntil: Temporal.Instant }

/** Each costs a row per event, as an endpoint does. */
const MAX_LISTENERS = 10

/**
 * Opens a listener: an endpoint for `perennial listen`, which fetches its deliveries instead of receiving POSTs. It receives
 * the events that occur from now on, for as long as it keeps fetching. The secret is returned only here.
 */
export async function openListener(
  ctx: Ctx,
  given: { events?: string[] },
  { vault }: { vault: Vault }
): Promise<OpenedListener> {
  const events = checkEvents(given.events ?? null)
  await lockEndpointList(ctx)
  if ((await countListeners(ctx)) >= MAX_LISTENERS) throw tooManyListeners(MAX_LISTENERS)
  const secret = newSigningSecret()
  const created = await insertListener(ctx, { events, secret: vault.seal(secretPurpose(ctx.storeId), secret) })

  return { id: publicId('we', created.id), events, secret, listeningUntil: created.listeningUntil }
}
