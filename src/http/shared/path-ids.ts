import { type IdPrefix, internalId } from '#kit/ids'
import { Refusal } from '#kit/refusal'

/** What the ids of each prefix name, for messages. */
const NOUNS = {
  mem: 'member',
  sub: 'subscription',
  ba: 'billing attempt',
  plan: 'plan',
  key: 'API key',
  imp: 'import'
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
