import type { Metafield } from '../state/metafields.ts'

// What an app has written for storefronts into the namespace `svc`. What says nothing of the kind that is read counts as not there.

export type Json = Record<string, unknown>

export const words = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export function textIn(metafields: Metafield[], key: string): string | null {
  return metafields.find((one) => one.namespace === 'svc' && one.key === key)?.value ?? null
}

function jsonIn(metafields: Metafield[], key: string): unknown {
  const text = textIn(metafields, key)
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    // What somebody wrote by hand is not the storefront's to repair.
    return null
  }
}

export function objectIn(metafields: Metafield[], key: string): Json | null {
  return objectOf(jsonIn(metafields, key))
}

export const objectsIn = (metafields: Metafield[], keys: string[]): Json[] =>
  keys.map((key) => objectIn(metafields, key)).filter((one) => one !== null)

/** The objects of a list. */
const listIn = (metafields: Metafield[], key: string): Json[] =>
  listOf(jsonIn(metafields, key))
    .map(objectOf)
    .filter((one) => one !== null)

function objectOf(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

/** The memberships that a customer holds, by the metafields of theirs. */
export const heldIn = (metafields: Metafield[]): Json[] =>
  objectsIn(metafields, ['customer_subscription1', 'customer_subscription2'])

/** The memberships that a customer has given to others. */
export function giftsIn(metafields: Metafield[]): { contractId: string; name: string; to: string }[] {
  return listIn(metafields, 'customer_subscription1_gifts').map(({ customer, subscription }) => {
    const given = objectOf(subscription)
    return { contractId: words(given?.scid), name: words(given?.name), to: personOf(customer) }
  })
}

/** Who gave the membership of a contract to the customer; null where that is not known: the app names the giver of one. */
export function giverIn(metafields: Metafield[], contractId: string): string | null {
  const gift = objectIn(metafields, 'customer_subscription1_parent')
  return (words(gift?.subscription_id).endsWith(`/${contractId}`) && personOf(gift!.customer)) || null
}

const personOf = (given: unknown): string => {
  const person = objectOf(given)
  return words(person?.name) || words(person?.email)
}
