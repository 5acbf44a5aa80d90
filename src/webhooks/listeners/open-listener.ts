import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { newSigningSecret, secretPurpose } from '../delivery/sign-delivery.ts'
import { checkEvents } from '../endpoints/endpoint-fields.ts'
import { lockEndpointList } from '../endpoints/endpoint-queries.ts'
import { tooManyListeners } from '../refusals.ts'
import { countListeners, insertListener } from './listener-queries.ts'

/** `listeningUntil` is real time: for so long it need not ask. */
export type OpenedListener = { id: string; events: string[] | null; secret: string; listeningUntil: Temporal.Instant }

/** People at their terminals, each of whom costs a row per event, as an endpoint does. */
const MAX_LISTENERS = 10

/**
 * Opens an endpoint for a terminal (`perennial listen`), which fetches its deliveries in place of being posted to. It hears
 * of what happens from now on for as long as it goes on asking. The secret is in this answer and nowhere else.
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
  const made = await insertListener(ctx, { events, secret: vault.seal(secretPurpose(ctx.storeId), secret) })

  return { id: publicId('we', made.id), events, secret, listeningUntil: made.listeningUntil }
}
