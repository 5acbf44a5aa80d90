import { realNow } from '#kit/clock'
import { type Engine, nextDueBy } from '#kit/engines'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { createWalker, retryMinutes } from '#kit/walks'
import { allCustomerMetafields, type Connector, DownloadFailed, type PlatformResult, succeeded } from '#platform'
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

/** So long a file is read before other work of the store gets its turn. */
const BUDGET_MS = 20_000

const ENDED = ['failed', 'canceled', 'expired']
/** What a shop without customers comes to. */
const NO_FILE = { customers: 0, linesRead: null }
/** So often in a row the platform's file may fail; then members are derived without it, and the next walk asks for it again. */
const MAX_FILES_FAILED = 3

/**
 * Once a day, and after the connection, all customers are compared. The platform reads its customers into a file, which costs it and us
 * next to nothing; what the file shows replaces what is known. Then what all members are to have is derived anew. Nothing is written
 * here: owners that differ become due.
 */
export function createMetafieldWalkEngine({
  db,
  leaseOwner,
  connectorOf,
  leaseMs,
  budgetMs = BUDGET_MS
}: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
  budgetMs?: number
}): Engine {
  const step = async (storeId: number, walk: MetafieldWalk): Promise<PlatformResult<WalkStep>> => {
    if (walk.phase === 'members') {
      return succeeded(await db.inStore(storeId, (ctx) => comparePage(ctx, walk)))
    }
    const { bulk } = await connectorOf(storeId)
    if (walk.phase === 'start') {
      await db.inStore(storeId, async (ctx) => {
        const discounts = [...(await listDiscountOwners(ctx)).keys()].map(discountOwner)
        await markMetafieldsDue(ctx, [SHOP, ...discounts], { isReadFirst: true })
      })
      // What is written from now on is newer than the file may be.
      const bulkStartedAt = realNow()
      const begun = await bulk.run(allCustomerMetafields, { isGrouped: true })
      return begun.ok
        ? succeeded({ phase: 'wait', bulkOperationId: begun.value, bulkStartedAt, waitSeconds: ASK_AFTER_SECONDS[0] })
        : begun
    }
    const found = await bulk.find(walk.bulkOperationId!)
    if (!found.ok) return found
    const operation = found.value
    if (!operation)
      return succeeded(fileFailed(walk, 'The platform no longer has the operation that reads its customers'))
    if (ENDED.includes(operation.status)) {
      const why = operation.errorCode ? `${operation.status}, ${operation.errorCode}` : operation.status
      return succeeded(fileFailed(walk, `The platform's reading of its customers ended: ${why}`))
    }
    const bulkOperationId = operation.id
    if (operation.status !== 'completed') {
      const asked = Math.min(walk.afterId + 1, ASK_AFTER_SECONDS.length - 1)
      return succeeded({ phase: 'wait', afterId: asked, bulkOperationId, waitSeconds: ASK_AFTER_SECONDS[asked]! })
    }
    if (walk.phase === 'wait') return succeeded({ phase: 'read', bulkOperationId })
    try {
      const from = { begunAt: walk.bulkStartedAt!, linesRead: walk.afterId, budgetMs }
      const { customers: compared, linesRead } = operation.file
        ? await applyBulkFile(db, storeId, operation.file, from)
        : NO_FILE
      return succeeded(
        linesRead === null
          ? { phase: 'members', compared, fileError: null }
          : { phase: 'read', afterId: linesRead, bulkOperationId, compared }
      )
    } catch (err) {
      if (!(err instanceof DownloadFailed)) throw err
      return succeeded(fileFailed(walk, `The platform's file of customers cannot be read: ${err.message}`))
    }
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

/** Another file is asked for after a while, or none in this walk any more. */
function fileFailed({ fileFailures }: MetafieldWalk, fileError: string): WalkStep {
  const failures = fileFailures + 1
  return failures % MAX_FILES_FAILED === 0
    ? { phase: 'members', fileError }
    : { phase: 'start', fileError, waitSeconds: retryMinutes(failures) * 60 }
}

/**
 * Derives anew what a page of members is to have. The first time, what others have written for customers of whom we know nothing yet stays:
 * an import may follow.
 */
async function comparePage(ctx: Ctx, { afterId, isFirst }: MetafieldWalk): Promise<WalkStep> {
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
  const different = [...derived].flatMap(([ownerId, { wanted, isGone, problem }]) => {
    const owner = { kind: 'customer' as const, ownerId }
    if (problem !== null) return [owner]
    if (isFirst && wanted.size === 0) return []
    return !isGone && isDifferent(compareMetafields(wanted, known.get(ownerKey(owner))!)) ? [owner] : []
  })
  await markMetafieldsDue(ctx, different)
  const last = members.length === PAGE ? ids.at(-1)! : null
  return { phase: last === null ? null : 'members', afterId: last ?? 0, differed: different.length }
}
