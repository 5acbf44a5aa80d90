import { type Connector, MAX_METAFIELDS_PER_CALL, type PlatformFailure } from '#platform'
import { keysOf } from './metafields/all-metafields.ts'

/** Why the platform still has what we have written of customers; null: it does not. */
export type LeftOnCustomers = { tags: PlatformFailure | null; metafields: PlatformFailure | null }

/**
 * Removes these tags, and deletes every metafield of ours, from customers, by the platform's numbers. Those that it does not have any more
 * have nothing of ours; every other failure leaves something there. Safe to repeat.
 */
export async function deleteFromCustomers(
  connector: Connector,
  customerIds: string[],
  tags: string[]
): Promise<LeftOnCustomers> {
  // Asked first, since a refusal does not tell whom it does not have from whom we may not change.
  const found = await connector.tags.findMany('customer', customerIds)
  if (!found.ok) return { tags: tags.length > 0 ? found.failure : null, metafields: found.failure }
  const present = [...found.value.keys()]
  return {
    tags: await removeTags(connector, present, tags),
    metafields: await deleteMetafields(connector, present)
  }
}

/** The first failure, after all were tried: one that is refused keeps no other. */
async function removeTags({ tags: api }: Connector, ids: string[], tags: string[]): Promise<PlatformFailure | null> {
  let first: PlatformFailure | null = null
  for (const id of tags.length > 0 ? ids : []) {
    const removed = await api.remove('customer', id, tags)
    if (!removed.ok) first ??= removed.failure
  }
  return first
}

async function deleteMetafields({ metafields }: Connector, customerIds: string[]): Promise<PlatformFailure | null> {
  const keys = keysOf('customer')
  const atOnce = Math.floor(MAX_METAFIELDS_PER_CALL / keys.length)
  const placesOf = (ids: string[]) =>
    ids.flatMap((ownerId) => keys.map((key) => ({ owner: 'customer' as const, ownerId, key })))
  let first: PlatformFailure | null = null
  for (let at = 0; at < customerIds.length; at += atOnce) {
    const ids = customerIds.slice(at, at + atOnce)
    const together = await metafields.delete(placesOf(ids))
    if (together.ok) continue
    if (ids.length === 1) first ??= together.failure
    // Each by itself where all are refused together.
    for (const id of ids.length > 1 ? ids : []) {
      const one = await metafields.delete(placesOf([id]))
      if (!one.ok) first ??= one.failure
    }
  }
  return first
}
