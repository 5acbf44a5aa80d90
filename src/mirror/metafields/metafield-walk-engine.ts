import { type Engine, nextDueBy } from '#kit/engines'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { createWalker } from '#kit/walks'
import { allCustomerMetafields, type Connector, type PlatformResult, succeeded } from '#platform'
import { deriveCustomerMetafields } from './derive-customers.ts'
import { discountOwner, listDiscountOwners } from './discount-owners.ts'
import {
  claimMetafieldWalk,
  dueMetafieldWalks,
  extendMetafieldWalk,
  type MetafieldWalk,
  markWalkFailed,
  markWalkStep,
  nextMetafieldWalkAt,
  releaseMetafieldWalks,
  type WalkStep
} from './metafield-store.ts'
import { listKnownMetafields, markMetafieldsDue, ownerKey } from './owner-queries.ts'
import { applyBulkFile } from './read-bulk-file.ts'
import { compareMetafields, isDifferent, SHOP } from './wanted-metafields.ts'

/** Members whose metafields are derived by one transaction. */
const PAGE = 500
/** How often the platform is asked whether it has read its customers; after each time a little later. */
const ASK_AFTER_SECONDS = [1, 2, 5, 10, 30] as const

const ENDED = ['failed', 'canceled', 'expired']

/**
 * Once a day, and after the connection, all customers are compared. The platform reads its customers into a file, which costs it and us
 * next to nothing; what the file shows replaces what is known. Then what all members are to have is derived anew. Nothing is written
 * here: owners that differ become due.
 */
export function createMetafieldWalkEngine({
  db,
  leaseOwner,
  connectorOf,
  leaseMs
}: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}): Engine {
  const step = async (storeId: number, walk: MetafieldWalk): Promise<PlatformResult<WalkStep>> => {
    if (walk.phase === 'members') {
      return succeeded(await db.inStore(storeId, (ctx) => comparePage(ctx, walk.afterId)))
    }
    const { bulk } = await connectorOf(storeId)
    if (walk.phase === 'start') {
      await db.inStore(storeId, async (ctx) => {
        const discounts = [...(await listDiscountOwners(ctx)).keys()].map(discountOwner)
        await markMetafieldsDue(ctx, [SHOP, ...discounts], { isReadFirst: true })
      })
      const begun = await bulk.run(allCustomerMetafields, { isGrouped: true })
      return begun.ok
        ? succeeded({ phase: 'wait', bulkOperationId: begun.value, waitSeconds: ASK_AFTER_SECONDS[0] })
        : begun
    }
    const found = await bulk.find(walk.bulkOperationId!)
    if (!found.ok) return found
    const operation = found.value
    if (!operation || ENDED.includes(operation.status)) return succeeded({ phase: 'start', waitSeconds: 60 })
    const bulkOperationId = operation.id
    if (operation.status !== 'completed') {
      const asked = Math.min(walk.afterId + 1, ASK_AFTER_SECONDS.length - 1)
      return succeeded({ phase: 'wait', afterId: asked, bulkOperationId, waitSeconds: ASK_AFTER_SECONDS[asked]! })
    }
    if (walk.phase === 'wait') return succeeded({ phase: 'read', bulkOperationId })
    const compared = operation.file ? await applyBulkFile(db, storeId, operation.file, walk.bulkStartedAt!) : 0
    return succeeded({ phase: 'members', compared })
  }

  const walkOn = createWalker({
    db,
    leaseMs,
    claim: (ctx, ms) => claimMetafieldWalk(ctx, leaseOwner, ms),
    extend: extendMetafieldWalk,
    read: step,
    record: markWalkStep,
    putOff: markWalkFailed
  })

  return {
    name: 'metafield-walk',
    stage: 'others',
    releaseLeases: releaseMetafieldWalks,
    needsPlatform: true,
    restsAfterRestore: true,
    realTime: true,
    due: dueMetafieldWalks,
    ...nextDueBy(db, nextMetafieldWalkAt),
    async runOnce(storeId) {
      return (await walkOn(storeId)) ? 1 : 0
    }
  }
}

/** Derives anew what a page of members is to have. */
async function comparePage(ctx: Ctx, afterId: number): Promise<WalkStep> {
  const members = await ctx.tx.many(
    row({ id: int }),
    sql`select id from members where store_id = ${ctx.storeId} and id > ${afterId} order by id limit ${PAGE}`
  )
  const ids = members.map(({ id }) => id)
  const derived = await deriveCustomerMetafields(ctx, ids)
  const known = await listKnownMetafields(
    ctx,
    ids.map((ownerId) => ({ kind: 'customer', ownerId }))
  )
  const different = [...derived].flatMap(([ownerId, { wanted, isGone }]) => {
    const owner = { kind: 'customer' as const, ownerId }
    return !isGone && isDifferent(compareMetafields(wanted, known.get(ownerKey(owner))!)) ? [owner] : []
  })
  await markMetafieldsDue(ctx, different)
  const last = members.length === PAGE ? ids.at(-1)! : null
  return { phase: last === null ? null : 'members', afterId: last ?? 0, differed: different.length }
}
