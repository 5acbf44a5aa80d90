import { listLiveContracts } from '#contracts'
import type { Database } from '#kit/postgres'
import { type Connector, compareRevisions, type PlatformContract, type PlatformResult, unwrap } from '#platform'
import { enqueueContractSync } from '#subscriptions'
import { applyContracts } from '../contracts/apply-contracts.ts'
import { quarantine, stopMissingContracts } from '../contracts/read-and-apply-contracts.ts'
import type { Walk, WalkedPage } from './reconciliation.ts'

export type Walking = { db: Database; storeId: number; connector: Connector }

/** A change may become readable some time after it was made, and clocks differ. */
export const OVERLAP_MINUTES = 10
const MAX_MISSING = 5_000

/**
 * A page of the contracts that changed since the last walk; or of all contracts, and then also ours that the platform does not
 * list.
 */
export async function walkContracts(walking: Walking, walk: Walk): Promise<PlatformResult<WalkedPage>> {
  const { connector } = walking
  const since = walk.kind === 'contracts' ? walk.cursorAt.subtract({ minutes: OVERLAP_MINUTES }) : null
  const page = await connector.contracts.listUpdatedSince(since, walk.pageAfter)
  if (!page.ok) return page
  const { items, unreadable, after } = page.value
  const changed = await applyUnreported(walking, items, unreadable)
  const ids = [...items.map(({ id }) => id), ...unreadable.keys()]
  const lastId = ids.sort(compareRevisions).at(-1) ?? walk.lastId
  const listed = new Set(ids)
  const gone = since === null ? await findUnlisted(walking, { after: walk.lastId, upTo: after && lastId, listed }) : 0
  return { ok: true, value: { seen: ids.length, changed: changed + gone, after, lastId } }
}

/**
 * Our live contracts that should have been on this page and were not. They are read by id, because one may have been created after
 * the page was read; those that the platform does not have then are missing.
 */
async function findUnlisted(
  { db, storeId, connector }: Walking,
  place: { after: string; upTo: string | null; listed: Set<string> }
): Promise<number> {
  const ours = await db.inStore(storeId, (ctx) => listLiveContracts(ctx, { ...place, limit: MAX_MISSING }))
  const unlisted = ours.filter((id) => !place.listed.has(id))
  if (unlisted.length === 0) return 0
  const { contracts, unreadable } = unwrap(await connector.contracts.findReadable(unlisted))
  await applyUnreported({ db, storeId, connector }, [...contracts.values()], unreadable)
  return stopMissingContracts(
    db,
    storeId,
    unlisted.filter((id) => !contracts.has(id) && !unreadable.has(id))
  )
}

/**
 * Applies contracts without a message; quarantines those that cannot be applied, so that the walk continues. Returns how many
 * changed something.
 */
export async function applyUnreported(
  { db, storeId, connector }: Walking,
  contracts: PlatformContract[],
  unreadable: ReadonlyMap<string, string>
): Promise<number> {
  const { changed, unsure, failed } = await applyContracts(db, connector, storeId, contracts, true)
  if (unsure.length > 0) await db.inStore(storeId, (ctx) => enqueueContractSync(ctx, unsure))
  await quarantine(db, storeId, new Map([...unreadable, ...failed]))
  return changed.length
}
