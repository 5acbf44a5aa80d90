import type { AddressRules } from '#kit/addresses'
import { internalId, publicId } from '#kit/ids'
import { instant, int, nullable, oneOf, type RowOf, row, text, textList } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { endpointNotFound } from '../refusals.ts'

export const EndpointRow = row({
  id: int,
  kind: oneOf('url', 'listener'),
  url: text,
  events: nullable(textList),
  description: text,
  status: oneOf('enabled', 'disabled'),
  disabledReason: nullable(text),
  disabledAt: nullable(instant),
  failingSince: nullable(instant),
  /** Deliveries that have used up their tries since then. */
  failedDeliveries: int,
  previousSecretUntil: nullable(instant),
  createdAt: instant,
  updatedAt: instant
})

/**
 * A receiver of a store's events. `id` is the public `we_…`; `events` null means every type; until
 * `previousSecretUntil`, real time, a secret that was rolled signs too.
 */
export type Endpoint = Omit<RowOf<typeof EndpointRow>, 'id'> & { id: string }

export const endpointOf = (found: RowOf<typeof EndpointRow>): Endpoint => ({ ...found, id: publicId('we', found.id) })

/** The internal id of a `we_…`; refuses any other text as it refuses an unknown id. */
export function endpointIdOf(id: string): number {
  const internal = internalId('we', id)
  if (internal === null) throw endpointNotFound(id)
  return internal
}

/** What the installation sets for webhooks. `addresses.loopback` takes effect in sandbox stores only. */
export type WebhookSettings = { vault: Vault; addresses: AddressRules }
