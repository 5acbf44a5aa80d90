import type { Ctx } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import {
  type Connector,
  isAboutRequest,
  type MetafieldsByKey,
  type PlatformFailure,
  type PlatformResult,
  succeeded
} from '#platform'
import type { Means } from '#storefront-settings'
import { notify } from '#stores'
import { minutesUntilRetry } from '../retry-after.ts'
import { keysOf, METAFIELDS } from './all-metafields.ts'
import { countWrittenMetafields, markShopRead } from './metafield-store.ts'
import {
  type ClaimedOwner,
  endOwners,
  forgetKnownMetafields,
  type KnownLine,
  lockClaimed,
  type OwnerEnd,
  ownerKey,
  replaceKnownMetafields,
  writeKnownMetafields
} from './owner-queries.ts'
import { type OwnerWrite, removesOf, setsOf, type WriteBatch } from './plan-writes.ts'
import { takeOverSettings } from './take-over-settings.ts'
import { hashOf, type OwnerOfMetafields } from './wanted-metafields.ts'

/** So often in a row an owner is read and written again at once, because others write the same metafields. */
const RACES_AT_ONCE = 3
/** How the platform says that somebody else has written a metafield meanwhile. */
const STALE = 'stale_object'

type Api = Connector['metafields']
export type Named = { owner: ClaimedOwner; platformId: string }
type Shop = { owner: ClaimedOwner; isFirst: boolean }

/** What a call of the platform came to. */
export type Ended =
  | {
      step: 'shop'
      shop: Shop
      found: PlatformResult<{ shopId: string; metafields: MetafieldsByKey }>
      refused: Map<string, string>
    }
  | { step: 'read'; read: Named[]; found: PlatformResult<Map<string, MetafieldsByKey>> }
  | {
      step: 'write'
      batch: WriteBatch
      /** What was set, in order, and by key why the platform refuses the rest. */
      sets: ReturnType<typeof setsOf>
      refused: ReadonlyMap<string, string>
      set: PlatformResult<string[]>
      removed: PlatformResult<null>
    }

/** Reads the shop, and makes the definitions of our metafields that it lacks: they were refused before, or somebody has deleted them. */
export async function readShop(metafields: Api, shop: Shop): Promise<Ended> {
  const found = await metafields.findOfShop(keysOf('shop'))
  if (!found.ok) return { step: 'shop', shop, found, refused: new Map() }
  const defined = await metafields.define(METAFIELDS)
  // What was not answered is tried again with the shop.
  return defined.ok
    ? { step: 'shop', shop, found, refused: defined.value }
    : { step: 'shop', shop, found: defined, refused: new Map() }
}

/** Reads customers, or discounts, of which others may have changed something. */
export async function readOwners(metafields: Api, read: Named[]): Promise<Ended> {
  const ids = read.map(({ platformId }) => platformId)
  const kind = read[0]!.owner.kind === 'discount' ? 'discount' : 'customer'
  return { step: 'read', read, found: await metafields.findMany(kind, ids, keysOf(kind)) }
}

/**
 * Sets the metafields of a batch, and then deletes those of its owner that are not wanted any more. Of a single owner one that the
 * platform refuses, as by a rule that the shop has made for it, keeps no other from being set, and none from being deleted.
 */
export async function writeBatch(metafields: Api, batch: WriteBatch): Promise<Ended> {
  const removes = removesOf(batch)
  const refused = new Map<string, string>()
  let sets = setsOf(batch)
  const setAll = async () => (sets.length === 0 ? succeeded([]) : metafields.set(sets.map(({ entry }) => entry)))
  let set = await setAll()
  while (batch.length === 1 && sets.length > 0) {
    const found = refusedEntry(set)
    if (!found) break
    refused.set(sets[found.at]!.entry.key, found.why)
    sets = sets.toSpliced(found.at, 1)
    set = await setAll()
  }
  const removed =
    removes.length === 0 || !set.ok ? succeeded(null) : await metafields.delete(removes.map(({ place }) => place))
  return { step: 'write', batch, sets, refused, set, removed }
}

/** Which entry of a call the platform refuses, by its place, and why; null when it said of none, or does not take the owner. */
function refusedEntry(set: PlatformResult<unknown>): { at: number; why: string } | null {
  if (set.ok || set.failure.kind !== 'rejected' || set.failure.code === STALE) return null
  const place = /^metafields\.(\d+)(\.(?!ownerId)|$)/.exec(set.failure.field ?? '')?.[1]
  return place === undefined ? null : { at: Number(place), why: set.failure.message }
}

/** Owners that are to be written or read by themselves, so that one that the platform does not take keeps no other from its own. */
export type Apart = { writes: OwnerWrite[]; reads: Named[] }

/** Records what calls came to. Returns the owners of those that were refused as a whole. */
export async function recordEnded(ctx: Ctx, ended: Ended[], means: Means): Promise<Apart> {
  const locked = await lockClaimed(ctx, ended.flatMap(ownersOf))
  const isOurs = (owner: ClaimedOwner) => locked.has(ownerKey(owner))
  const apart: Apart = { writes: [], reads: [] }
  const written: Written[] = []
  for (const one of ended) {
    if (one.step === 'shop') {
      if (isOurs(one.shop.owner)) await recordShop(ctx, one, means)
    } else if (one.step === 'read') {
      const read = one.read.filter(({ owner }) => isOurs(owner))
      if (isAboutOne(one.found) && one.read.length > 1) apart.reads.push(...read)
      else await recordRead(ctx, { ...one, read })
    } else if (isAboutOne(one.set) && one.batch.length > 1) {
      apart.writes.push(...one.batch.filter(({ owner }) => isOurs(owner)))
    } else written.push(one)
  }
  await recordWrites(ctx, written, isOurs)
  return apart
}

type Written = Extract<Ended, { step: 'write' }>

/** Whether the answer was about what was asked, so that asking for fewer owners may do. To set a metafield twice does no harm. */
const isAboutOne = (result: PlatformResult<unknown>): boolean =>
  !result.ok && result.failure.kind !== 'unauthorized' && isAboutRequest(result.failure)

const ownersOf = (ended: Ended): ClaimedOwner[] =>
  ended.step === 'shop'
    ? [ended.shop.owner]
    : (ended.step === 'read' ? ended.read : ended.batch).map(({ owner }) => owner)

async function recordShop(
  ctx: Ctx,
  { shop, found, refused }: Extract<Ended, { step: 'shop' }>,
  means: Means
): Promise<void> {
  const { owner, isFirst } = shop
  if (!found.ok) return endOwners(ctx, [endOfFailure(owner, found.failure, ctx.now)])
  const { shopId, metafields } = found.value
  if (isFirst) await takeOverSettings(ctx, metafields, means)
  if (refused.size > 0) {
    await notify(ctx, {
      kind: 'metafields_not_defined',
      subject: 'Definitions of metafields were refused',
      message: `The platform refuses definitions of metafields, so that themes or customers may not see them: ${[...refused].map(([key, why]) => `${key}: ${why}`).join('; ')}`,
      isOnce: true
    })
  }
  await replaceKnownMetafields(ctx, [owner], linesOf(owner, metafields))
  await markShopRead(ctx, shopId)
  await endOwners(ctx, [endOfRead(owner, ctx.now)])
}

async function recordRead(ctx: Ctx, { read, found }: Extract<Ended, { step: 'read' }>): Promise<void> {
  if (!found.ok)
    return endOwners(
      ctx,
      read.map(({ owner }) => endOfFailure(owner, found.failure, ctx.now))
    )
  const owners = read.map(({ owner }) => owner)
  await replaceKnownMetafields(
    ctx,
    owners,
    read.flatMap(({ owner, platformId }) => linesOf(owner, found.value.get(platformId) ?? new Map()))
  )
  await endOwners(
    ctx,
    read.map(({ owner, platformId }) =>
      found.value.has(platformId)
        ? endOfRead(owner, ctx.now)
        : { ...settled(owner), problem: `The platform does not show the ${owner.kind} ${platformId}` }
    )
  )
}

/** What all these calls have written, with the same few statements for any number of them. */
async function recordWrites(ctx: Ctx, written: Written[], isOurs: (owner: ClaimedOwner) => boolean): Promise<void> {
  const lines: KnownLine[] = []
  const gone: ReturnType<typeof removesOf> = []
  const ends: OwnerEnd[] = []
  for (const { batch, sets, refused, set, removed } of written) {
    const ours = batch.filter(({ owner }) => isOurs(owner))
    if (!set.ok) {
      ends.push(...ours.map(({ owner }) => endOfFailure(owner, set.failure, ctx.now)))
      continue
    }
    for (const [i, { owner, hash, entry }] of sets.entries()) {
      if (isOurs(owner)) lines.push({ ...owner, key: entry.key, hash, digest: set.value[i]! })
    }
    if (removed.ok) gone.push(...removesOf(ours))
    ends.push(
      ...ours.map(({ owner, difference: { problem } }) =>
        removed.ok
          ? { ...settled(owner), problem: problemOf(problem, refused), isSynced: true }
          : endOfFailure(owner, removed.failure, ctx.now)
      )
    )
  }
  await writeKnownMetafields(ctx, lines)
  await forgetKnownMetafields(
    ctx,
    gone.map(({ owner, key }) => ({ ...owner, key }))
  )
  await countWrittenMetafields(ctx, { set: lines.length, removed: gone.length })
  await endOwners(ctx, ends)
}

function problemOf(problem: string | null, refused: ReadonlyMap<string, string>): string | null {
  if (refused.size === 0) return problem
  const all = [...refused].map(([key, why]) => `The platform refuses the metafield ${key}: ${why}`)
  return storableError([...(problem === null ? [] : [problem]), ...all].join('. '))
}

const linesOf = (owner: OwnerOfMetafields, found: MetafieldsByKey): KnownLine[] =>
  [...found.values()].map(({ key, type, value, digest }) => ({ ...owner, key, hash: hashOf(type, value), digest }))

/** Nothing is to be done for the owner. */
export const settled = (owner: ClaimedOwner): OwnerEnd => ({
  owner,
  dueAt: null,
  attempts: 0,
  error: null,
  problem: null,
  isReadFirst: false,
  isSynced: false
})

/** What an owner has was read: it is compared anew at once. */
const endOfRead = (owner: ClaimedOwner, now: Temporal.Instant): OwnerEnd => ({
  ...settled(owner),
  dueAt: now,
  attempts: owner.attempts,
  isSynced: true
})

/** A refusal is not tried again by itself, everything else is. */
function endOfFailure(owner: ClaimedOwner, failure: PlatformFailure, now: Temporal.Instant): OwnerEnd {
  const error = storableError(failure.message)
  if (failure.kind === 'throttled') {
    const milliseconds = Math.max(1000, failure.retryAfterMs ?? 0)
    return {
      ...settled(owner),
      dueAt: now.add({ milliseconds }),
      attempts: owner.attempts,
      error,
      isReadFirst: owner.isReadFirst
    }
  }
  const isRace = failure.code === STALE
  if (failure.kind === 'rejected' && !isRace) {
    return { ...settled(owner), problem: storableError(`The platform refuses the metafields: ${failure.message}`) }
  }
  const minutes = minutesUntilRetry(owner.attempts)
  return {
    ...settled(owner),
    dueAt: isRace && owner.attempts < RACES_AT_ONCE ? now : now.add({ minutes }),
    attempts: owner.attempts + 1,
    error,
    // It may have been carried out: what is wanted by then may look as if it were there already.
    isReadFirst: isRace || (failure.kind === 'unavailable' && failure.outcomeUnknown === true) || owner.isReadFirst
  }
}
