import type { Database } from '#kit/postgres'
import { answered, type Connector, type PlatformResult, type Walk, type WalkedPage } from '#platform'
import { listLiveContracts } from '#subscriptions'
import { lookAgain, takeLeaveOfContracts, takeOverContracts } from './take-over-contracts.ts'

export type Walking = { db: Database; storeId: number; connector: Connector }

/** A change may become visible a while after its time, and clocks differ. */
export const OVERLAP_MINUTES = 10
const MOST_MISSING = 5_000

/** A page of the contracts that changed since the last walk, or of all: then also what we have and the platform does not list. */
export async function walkContracts(walking: Walking, walk: Walk): Promise<PlatformResult<WalkedPage>> {
  const { db, storeId, connector } = walking
  const since = walk.kind === 'contracts' ? walk.cursorAt.subtract({ minutes: OVERLAP_MINUTES }) : null
  const page = await connector.contractsUpdatedSince(since, walk.pageAfter)
  if (!page.ok) return page
  const { items, after } = page.value
  const { changed, unsure } = await takeOverContracts(db, connector, storeId, items, true)
  if (unsure.length > 0) await db.inStore(storeId, (ctx) => lookAgain(ctx, unsure))
  const lastId = items.at(-1)?.id ?? walk.lastId
  const listed = new Set(items.map(({ id }) => id))
  const gone = since === null ? await findUnlisted(walking, { after: walk.lastId, upTo: after && lastId, listed }) : 0
  return { ok: true, value: { seen: items.length, changed: changed.length + gone, after, lastId } }
}

/**
 * Our live contracts whose place in the list was passed without them. They are asked for by id, since one may have come
 * after the page was read; what the platform does not have then is gone.
 */
async function findUnlisted(
  { db, storeId, connector }: Walking,
  place: { after: string; upTo: string | null; listed: Set<string> }
): Promise<number> {
  const ours = await db.inStore(storeId, (ctx) => listLiveContracts(ctx, { ...place, limit: MOST_MISSING }))
  const unlisted = ours.filter((id) => !place.listed.has(id))
  if (unlisted.length === 0) return 0
  const there = answered(await connector.contracts(unlisted))
  const { unsure } = await takeOverContracts(db, connector, storeId, [...there.values()], true)
  if (unsure.length > 0) await db.inStore(storeId, (ctx) => lookAgain(ctx, unsure))
  return takeLeaveOfContracts(
    db,
    storeId,
    unlisted.filter((id) => !there.has(id))
  )
}
