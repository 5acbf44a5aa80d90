import type { FastifyRequest } from 'fastify'
import { type IdPrefix, internalId } from '#kit/ids'
import { Refusal } from '#kit/refusal'

/** What the ids of each prefix name, for messages. */
const NOUNS = {
  mem: 'member',
  sub: 'subscription',
  ba: 'billing attempt',
  plan: 'plan',
  key: 'API key',
  we: 'webhook endpoint',
  imp: 'import',
  priv: 'privacy request'
} as const satisfies Partial<Record<IdPrefix, string>>

/** The internal id that a path names. Refuses a text that cannot be one as unknown. */
export function idInPath(prefix: keyof typeof NOUNS, text: string): number {
  const id = internalId(prefix, text)
  if (id === null) throw noSuch(prefix, text)
  return id
}

/** Refuses an id that names nothing in the store. */
export const noSuch = (prefix: keyof typeof NOUNS, text: string) =>
  new Refusal('not_found', `There is no ${NOUNS[prefix]} ${text.slice(0, 100)}`)

/**
 * Whoever looks for an object in vain does not know which parameter of the path named it. For surfaces whose paths name one
 * object: a 404 without a field is about that parameter.
 */
export function naming<R>(refusal: R, { routeOptions: { schema } }: FastifyRequest): R | Refusal {
  if (!(refusal instanceof Refusal) || refusal.code !== 'not_found' || refusal.details.length > 0) return refusal
  const { properties = {} } = (schema?.params ?? {}) as { properties?: object }
  const [field] = Object.keys(properties)
  if (field === undefined) return refusal
  return new Refusal('not_found', refusal.message, [
    { field, code: 'not_found', message: 'names nothing in the store' }
  ])
}
