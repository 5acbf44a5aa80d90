import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import { metafieldsNotRead } from '../refusals.ts'
import { keysOf } from './all-metafields.ts'
import { findNextMetafieldWalk } from './metafield-store.ts'
import { type MetafieldFound, readMetafieldDifferences } from './read-differences.ts'

/** So many customers are compared for one page: four calls of the platform. */
const PAGE = 188

/**
 * A page of what differs: how many owners were compared, and after which customer the next one begins; null at the end.
 * `nextComparisonAt`: when the schedule compares all of them (real time); null for a store whose metafields are not kept.
 */
export type MetafieldsDiff = {
  compared: number
  differences: MetafieldFound[]
  next: number | null
  nextComparisonAt: Temporal.Instant | null
}

/**
 * Compares a customer, or a page of all, with the platform; the first page has the shop too. Changes nothing. `afterId`: null for the
 * first page.
 */
export async function diffMetafields(
  { db, connectorOf }: { db: Database; connectorOf: (storeId: number) => Promise<Connector> },
  storeId: number,
  of: { memberId: number } | { afterId: number | null }
): Promise<MetafieldsDiff> {
  const { metafields } = await connectorOf(storeId)
  const read = await readMetafieldDifferences(db, storeId, 'memberId' in of ? of : { ...of, limit: PAGE }, {
    shop: () => metafields.findOfShop(keysOf('shop')),
    many: (kind, ids) => metafields.findMany(kind, ids, keysOf(kind))
  })
  if (!read.ok) throw metafieldsNotRead(read.failure.message)
  const { compared, differences, next } = read.value
  return { compared, differences, next, nextComparisonAt: await db.inStore(storeId, findNextMetafieldWalk) }
}
