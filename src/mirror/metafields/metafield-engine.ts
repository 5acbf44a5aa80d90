import { createLeasedFlights, type Engine, nextDueBy, type Patience, type Piece, portionsOf } from '#kit/engines'
import type { Ctx, Database } from '#kit/postgres'
import { type Connector, METAFIELD_OWNERS } from '#platform'
import { deriveCustomerMetafields } from './derive-customers.ts'
import { deriveDiscountMetafields } from './derive-discounts.ts'
import { deriveShopMetafields } from './derive-shop.ts'
import { listDiscountOwners } from './discount-owners.ts'
import { type Ended, type Named, readOwners, readShop, recordEnded, settled, writeBatch } from './metafield-steps.ts'
import { findShopId } from './metafield-store.ts'
import {
  type ClaimedOwner,
  claimOwners,
  dueMetafieldOwners,
  endOwners,
  extendOwnerLeases,
  forgetKnownMetafields,
  listKnownMetafields,
  nextMetafieldOwner,
  type OwnerEnd,
  ownerKey,
  releaseMetafieldOwners
} from './owner-queries.ts'
import { batchesOf, type OwnerWrite } from './plan-writes.ts'
import { compareMetafields, isDifferent } from './wanted-metafields.ts'

const LEASE_MS = 120_000
/** Owners that are compared in one transaction. */
const COMPARED_AT_ONCE = 100
/** Owners of a store that are written or read at once: more calls than these only wait for the platform's cost budget. */
const MAX_AT_ONCE = 120
const READ_AT_ONCE = 40

type Deps = {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** Whether mail to customers of the store can be sent: settings that a shop had may need it. */
  canMail: (storeId: number) => Promise<boolean>
  patience?: Patience
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}

/**
 * Brings the platform's metafields to what is wanted. Of due owners, what is wanted is derived and compared with what is known to be
 * there, without asking the platform; only what differs is written, as many owners in one call as fit. Each write states which value
 * it has seen: when somebody has changed it meanwhile, it is refused, and the owner is read. So is a shop that was just connected.
 */
export function createMetafieldEngine({
  db,
  leaseOwner,
  connectorOf,
  canMail,
  patience,
  leaseMs = LEASE_MS
}: Deps): Engine {
  const lease = { leaseOwner, leaseMs }
  const flights = createLeasedFlights<ClaimedOwner, Ended>({
    leaseMs,
    patience,
    extend: (storeId, owners) => db.inStore(storeId, (ctx) => extendOwnerLeases(ctx, owners, lease)),
    record: async (storeId, pieces) => {
      // A piece that threw has nothing to record: its owners are claimed again when their leases are over.
      const ended = pieces.map(({ end }) => (end.status === 'fulfilled' ? [end.value] : []))
      const [together] = await Promise.allSettled([record(storeId, ended.flat())])
      if (together.status === 'fulfilled' || pieces.length === 1) return pieces.map(() => together)
      // One that cannot be recorded keeps no other from it.
      const recorded: PromiseSettledResult<void>[] = []
      for (const one of ended) recorded.push(...(await Promise.allSettled([record(storeId, one)])))
      return recorded
    }
  })

  const record = async (storeId: number, ended: Ended[]): Promise<void> => {
    const isEnding = flights.isEnding(storeId)
    const means = { canMail: await canMail(storeId) }
    const apart = await db.inStore(storeId, async (ctx) => {
      const { writes, reads } = await recordEnded(ctx, ended, means)
      if (isEnding) await giveBack(ctx, writes, reads)
      return { writes, reads }
    })
    if (isEnding) return
    flights.goOn(storeId, [
      ...apart.writes.map((one) => writePiece(storeId, [one])),
      ...apart.reads.map((one) => readPiece(storeId, [one]))
    ])
  }

  const writePiece = (storeId: number, batch: OwnerWrite[]): Piece<ClaimedOwner, Ended> => ({
    things: batch.map(({ owner }) => owner),
    work: async () => writeBatch((await connectorOf(storeId)).metafields, batch)
  })
  const readPiece = (storeId: number, read: Named[]): Piece<ClaimedOwner, Ended> => ({
    things: read.map(({ owner }) => owner),
    work: async () => readOwners((await connectorOf(storeId)).metafields, read)
  })

  /** Returns how many owners were claimed: also those that are as they should be. */
  const begin = async (storeId: number, limit: number, isSlow: boolean): Promise<number> => {
    let count = 0
    await flights.claim(storeId, async (except) => {
      const { claimed, writes, toRead, shop } = await db.inStore(storeId, (ctx) =>
        compareClaimed(ctx, { ...lease, limit, except })
      )
      count = claimed
      if (claimed === 0) return []
      // While a call of the store hangs, one that hangs besides keeps only its own owner.
      const apart = <T>(items: T[], together: (items: T[]) => T[][]) =>
        isSlow ? items.map((one) => [one]) : together(items)
      return [
        ...(shop
          ? [{ things: [shop.owner], work: async () => readShop((await connectorOf(storeId)).metafields, shop) }]
          : []),
        ...apart(toRead, (all) => portionsOfKind(all, READ_AT_ONCE)).map((read) => readPiece(storeId, read)),
        ...apart(writes, batchesOf).map((batch) => writePiece(storeId, batch))
      ]
    })
    return count
  }

  return {
    name: 'metafields',
    stage: 'others',
    releaseLeases: releaseMetafieldOwners,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueMetafieldOwners,
    ...nextDueBy(db, nextMetafieldOwner),
    async runOnce(storeId) {
      const limit = Math.min(COMPARED_AT_ONCE, flights.free(storeId, MAX_AT_ONCE))
      const claimed = limit > 0 ? await begin(storeId, limit, flights.load(storeId).slow > 0) : 0
      const ended = await flights.record(storeId)
      return claimed || flights.load(storeId).underWay || ended
    },
    endUnderWay: flights.endUnderWay,
    letGo: flights.letGo,
    keptLong: flights.keptLong
  }
}

/** Claims owners, ends those that are as they should be, and says what is to be done for the others. */
async function compareClaimed(ctx: Ctx, options: Parameters<typeof claimOwners>[1]) {
  const claimed = await claimOwners(ctx, options)
  const shopId = await findShopId(ctx)
  const customers = claimed.filter(({ kind }) => kind === 'customer')
  const derived = await deriveCustomerMetafields(
    ctx,
    customers.map(({ ownerId }) => ownerId)
  )
  const discounts = claimed.some(({ kind }) => kind === 'discount') ? await listDiscountOwners(ctx) : null
  const known = await listKnownMetafields(ctx, claimed)
  const plan = {
    claimed: claimed.length,
    writes: [] as OwnerWrite[],
    toRead: [] as { owner: ClaimedOwner; platformId: string }[],
    shop: null as { owner: ClaimedOwner; isFirst: boolean } | null
  }
  const over: OwnerEnd[] = []
  const gone: ClaimedOwner[] = []
  for (const owner of claimed) {
    if (owner.kind === 'shop' && (owner.isReadFirst || shopId === null)) {
      plan.shop = { owner, isFirst: shopId === null }
      continue
    }
    const one = owner.kind === 'customer' ? derived.get(owner.ownerId) : undefined
    const platformId =
      owner.kind === 'shop' ? shopId : owner.kind === 'discount' ? discounts?.get(owner.ownerId) : one?.platformId
    if (!platformId || one?.isGone) {
      gone.push(owner)
      continue
    }
    if (owner.isReadFirst) {
      plan.toRead.push({ owner, platformId })
      continue
    }
    if (one?.problem) {
      over.push({ ...settled(owner), problem: one.problem })
      continue
    }
    const wanted =
      one?.wanted ?? (owner.kind === 'discount' ? await deriveDiscountMetafields(ctx) : await deriveShopMetafields(ctx))
    const difference = compareMetafields(wanted, known.get(ownerKey(owner))!)
    if (isDifferent(difference)) plan.writes.push({ owner, platformId, difference })
    else over.push({ ...settled(owner), problem: difference.problem })
  }
  await forgetKnownMetafields(
    ctx,
    gone.flatMap((owner) => [...known.get(ownerKey(owner))!.keys()].map((key) => ({ ...owner, key })))
  )
  await endOwners(ctx, [...over, ...gone.map(settled)])
  return plan
}

/**
 * Owners whose writing may not begin any more are due at once for whoever comes next. Those that were written together with others are read
 * first: the call was refused as a whole, or its answer could not be understood.
 */
function giveBack(ctx: Ctx, writes: { owner: ClaimedOwner }[], reads: { owner: ClaimedOwner }[]): Promise<void> {
  const due = (owner: ClaimedOwner, isReadFirst: boolean): OwnerEnd => ({
    ...settled(owner),
    dueAt: ctx.now,
    attempts: owner.attempts,
    isReadFirst
  })
  return endOwners(ctx, [
    ...writes.map(({ owner }) => due(owner, true)),
    ...reads.map(({ owner }) => due(owner, owner.isReadFirst))
  ])
}

/** What one call reads is of one kind. */
const portionsOfKind = <T extends { owner: ClaimedOwner }>(items: T[], size: number): T[][] =>
  METAFIELD_OWNERS.flatMap((kind) =>
    portionsOf(
      items.filter(({ owner }) => owner.kind === kind),
      size
    )
  )
