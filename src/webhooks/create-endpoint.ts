import { resolvedProblem, urlProblem } from '#kit/addresses'
import { EVENT_TYPES } from '#kit/outbox'
import type { Database } from '#kit/postgres'

import { type Endpoint, endpointOf, rulesFor, type WebhookSettings } from './endpoint.ts'
import { insertEndpoint, readStoreKind } from './endpoint-queries.ts'
import { noEventTypes, unknownEventTypes, unusableDescription, unusableUrl } from './refusals.ts'
import { newSigningSecret, secretPurpose } from './sign-delivery.ts'

/** `events` left out: it hears of every type, those to come included. */
export type NewEndpoint = { url: string; events?: string[]; description?: string }

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
  const events = checkEvents(given.events)
  const description = checkDescription(given.description ?? '')
  const rules = rulesFor(await db.inStore(storeId, readStoreKind), addresses)
  const problem = urlProblem(given.url, rules) ?? (await resolvedProblem(given.url, rules))
  if (problem) throw unusableUrl(problem)

  const secret = newSigningSecret()
  const made = await db.inStore(storeId, (ctx) =>
    insertEndpoint(ctx, {
      url: new URL(given.url).href,
      events,
      description,
      secret: vault.seal(secretPurpose(storeId), secret)
    })
  )

  return { ...endpointOf(made), secret }
}

function checkEvents(events: string[] | undefined): string[] | null {
  if (events === undefined) return null
  if (events.length === 0) throw noEventTypes()
  const unknown = events.filter((event) => !EVENT_TYPES.some((type) => type === event))
  if (unknown.length > 0) throw unknownEventTypes(unknown)
  return [...new Set(events)]
}

function checkDescription(description: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (description.length > 500 || /[\u0000-\u001f]/.test(description)) throw unusableDescription()
  return description
}
