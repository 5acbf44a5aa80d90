import { createLeasedFlights, type Engine, nextDueBy, type Patience, type Piece, portionsOf } from '#kit/engines'
import type { Ctx, Database } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { type Connector, type PlatformFailure, type PlatformResult, TAG_LIMITS, type TaggedKind } from '#platform'
import { minutesUntilRetry } from '../retry-after.ts'
import { compareTags, hasToChange, list, notTaken, type TagDifference } from './compare-tags.ts'
import {
  type ClaimedOwner,
  claimOwners,
  deleteOwners,
  dueTagOwners,
  endOwners,
  extendOwnerLeases,
  forgetKnownTags,
  listKeptTags,
  listPlatformIds,
  lockClaimed,
  nextTagOwner,
  type OwnerEnd,
  ownerKey,
  releaseTagOwners,
  writeKnownTags
} from './tag-queries.ts'
import { countWritten } from './tag-walks.ts'

const LEASE_MS = 120_000
/** Read by one document. */
const READ_AT_ONCE = 40
/** Owners of a store whose tags are read or written at once. */
const MAX_AT_ONCE = 80

/** A claimed owner as the platform knows it. */
type Named = { owner: ClaimedOwner; platformId: string; isDeleted: boolean }
/** What is to be written for an owner. */
type Change = Named & { difference: TagDifference; present: number }
type Ended =
  | { step: 'read'; read: Named[]; found: PlatformResult<Map<string, string[]>> }
  | {
      step: 'write'
      change: Change
      failure: PlatformFailure | null
      added: number
      removed: string[]
      notTaken: string[]
    }

type Deps = {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  patience?: Patience
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}

/**
 * Brings the platform's tags to what is wanted. Due owners are leased, and their tags read, many in one call. What we are about to add
 * is recorded as ours before it is sent, so that a lost answer makes no tag another's. Then each owner is written by itself: a call
 * that hangs holds up that owner only.
 */
export function createTagEngine({ db, leaseOwner, connectorOf, patience, leaseMs = LEASE_MS }: Deps): Engine {
  const lease = { leaseOwner, leaseMs }
  const flights = createLeasedFlights<ClaimedOwner, Ended>({
    leaseMs,
    patience,
    extend: (storeId, owners) => db.inStore(storeId, (ctx) => extendOwnerLeases(ctx, owners, lease)),
    record: async (storeId, pieces) => {
      const ended = pieces.flatMap(({ end }) => (end.status === 'fulfilled' ? [end.value] : []))
      const changes = await db.inStore(storeId, (ctx) => recordEnded(ctx, ended))
      if (changes.length > 0) {
        if (flights.isEnding(storeId)) await db.inStore(storeId, (ctx) => giveBack(ctx, changes))
        else flights.goOn(storeId, await writesOf(storeId, changes))
      }
      // A piece that threw has nothing to record: its owners are claimed again when their leases are over.
      return pieces.map(() => ({ status: 'fulfilled' as const, value: null }))
    }
  })

  const writesOf = async (storeId: number, changes: Change[]): Promise<Piece<ClaimedOwner, Ended>[]> => {
    const { tags } = await connectorOf(storeId)
    return changes.map((change) => ({ things: [change.owner], work: () => write(tags, change) }))
  }

  const begin = (storeId: number, limit: number, isSlow: boolean): Promise<number> =>
    flights.claim(storeId, async (except) => {
      const { tags } = await connectorOf(storeId)
      const named = await db.inStore(storeId, async (ctx) => {
        const claimed = await claimOwners(ctx, { ...lease, limit, except })
        const ids = await listPlatformIds(ctx, claimed)
        return claimed.map((owner): Named => {
          const { platformId = '', isDeleted = true } = ids.get(ownerKey(owner)) ?? {}
          return { owner, platformId, isDeleted }
        })
      })
      return [...Map.groupBy(named, ({ owner }) => owner.kind)].flatMap(([kind, ofKind]) =>
        // While a call of the store hangs, one that hangs besides keeps only its own owner.
        portionsOf(ofKind, isSlow ? 1 : READ_AT_ONCE).map((read) => ({
          things: read.map(({ owner }) => owner),
          work: () => readTags(tags, kind, read)
        }))
      )
    })

  return {
    name: 'tags',
    stage: 'others',
    releaseLeases: releaseTagOwners,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueTagOwners,
    ...nextDueBy(db, nextTagOwner),
    async runOnce(storeId) {
      const limit = Math.min(READ_AT_ONCE, flights.free(storeId, MAX_AT_ONCE))
      const claimed = limit > 0 ? await begin(storeId, limit, flights.load(storeId).slow > 0) : 0
      const ended = await flights.record(storeId)
      return claimed || flights.load(storeId).underWay || ended
    },
    endUnderWay: flights.endUnderWay,
    letGo: flights.letGo,
    keptLong: flights.keptLong
  }
}

async function readTags(tags: Connector['tags'], kind: TaggedKind, read: Named[]): Promise<Ended> {
  const ids = read.filter(({ isDeleted }) => !isDeleted).map(({ platformId }) => platformId)
  const found: PlatformResult<Map<string, string[]>> =
    ids.length === 0 ? { ok: true, value: new Map() } : await tags.findMany(kind, ids)
  return { step: 'read', read, found }
}

/**
 * Adds before it removes, so that a member who changes has a member's tag all the time, unless there is no room for both. Each is
 * tried whatever the other comes to.
 */
async function write(tags: Connector['tags'], change: Change): Promise<Ended> {
  const { owner, platformId, difference, present } = change
  const isFull = present + difference.add.length > TAG_LIMITS.perOwner
  const ended: Extract<Ended, { step: 'write' }> = {
    step: 'write',
    change,
    failure: null,
    added: 0,
    removed: [],
    notTaken: []
  }
  for (const step of isFull ? (['remove', 'add'] as const) : (['add', 'remove'] as const)) {
    const wanted = difference[step]
    if (wanted.length === 0) continue
    const done = await tags[step](owner.kind, platformId, wanted)
    if (!done.ok) ended.failure ??= done.failure
    else if (step === 'remove') ended.removed = wanted
    else {
      ended.notTaken = notTaken(wanted, done.value)
      ended.added = wanted.length - ended.notTaken.length
    }
  }
  return ended
}

/** Records in one transaction what reads and writes came to. Returns what is to be written next. */
async function recordEnded(ctx: Ctx, ended: Ended[]): Promise<Change[]> {
  const owners = ended.flatMap((one) => (one.step === 'read' ? one.read.map(({ owner }) => owner) : [one.change.owner]))
  const locked = await lockClaimed(ctx, owners)
  const reads = ended.filter((one) => one.step === 'read')
  const writes = ended.filter((one) => one.step === 'write').filter(({ change }) => locked.has(ownerKey(change.owner)))
  await forgetKnownTags(
    ctx,
    writes.flatMap(({ change, removed }) => removed.map((tag) => ({ ...change.owner, tag })))
  )
  await countWritten(ctx, {
    added: writes.reduce((sum, { added }) => sum + added, 0),
    removed: writes.reduce((sum, { removed }) => sum + removed.length, 0)
  })
  await endOwners(
    ctx,
    writes.map((one) => endOfWrite(one, ctx.now))
  )
  return recordReads(ctx, reads, locked)
}

async function recordReads(
  ctx: Ctx,
  reads: Extract<Ended, { step: 'read' }>[],
  locked: Set<string>
): Promise<Change[]> {
  const named = reads.flatMap(({ read, found }) =>
    read.flatMap((one) => (locked.has(ownerKey(one.owner)) ? [{ ...one, found }] : []))
  )
  await deleteOwners(
    ctx,
    named.flatMap(({ owner, isDeleted }) => (isDeleted ? [owner] : []))
  )
  const alive = named.filter(({ isDeleted }) => !isDeleted)
  const kept = await listKeptTags(
    ctx,
    alive.map(({ owner }) => owner)
  )
  const ends: OwnerEnd[] = []
  const changes: Change[] = []
  for (const { found, ...one } of alive) {
    const { owner, platformId } = one
    if (!found.ok) {
      ends.push(endOfFailure(owner, found.failure, ctx.now))
      continue
    }
    const present = found.value.get(platformId)
    if (!present) {
      ends.push({ ...settled(owner), problem: `The platform does not show the ${owner.kind} ${platformId}` })
      continue
    }
    const difference = compareTags(owner.kind, kept.get(ownerKey(owner))!, present)
    changes.push({ ...one, difference, present: present.length })
  }
  await writeKnownTags(
    ctx,
    changes.flatMap(({ owner, difference }) => [
      ...difference.add.map((tag) => ({ ...owner, tag, isOurs: true })),
      ...difference.found.map((tag) => ({ ...owner, tag, isOurs: false }))
    ])
  )
  await forgetKnownTags(
    ctx,
    changes.flatMap(({ owner, difference }) => difference.forget.map((tag) => ({ ...owner, tag })))
  )
  const same = changes.filter(({ difference }) => !hasToChange(difference))
  await endOwners(ctx, [
    ...ends,
    ...same.map(({ owner, difference }) => ({ ...settled(owner), problem: difference.problem }))
  ])
  return changes.filter(({ difference }) => hasToChange(difference))
}

const settled = (owner: ClaimedOwner): OwnerEnd => ({
  owner,
  dueAt: null,
  attempts: 0,
  error: null,
  problem: null
})

function endOfWrite({ change, failure, notTaken }: Extract<Ended, { step: 'write' }>, now: Temporal.Instant): OwnerEnd {
  const { owner, difference } = change
  if (failure) return endOfFailure(owner, failure, now)
  const lost = notTaken.length === 0 ? null : `The platform did not keep ${list(notTaken)} as it was added`
  const problem = [difference.problem, lost].filter((one) => one !== null).join('. ')
  return { ...settled(owner), problem: problem === '' ? null : storableError(problem) }
}

/** A refusal is not tried again by itself, everything else is. */
function endOfFailure(owner: ClaimedOwner, failure: PlatformFailure, now: Temporal.Instant): OwnerEnd {
  if (failure.kind === 'rejected') {
    return { ...settled(owner), problem: storableError(`The platform refuses the tags: ${failure.message}`) }
  }
  const minutes = minutesUntilRetry(owner.attempts)
  return {
    ...settled(owner),
    dueAt: now.add({ minutes }),
    attempts: owner.attempts + 1,
    error: storableError(failure.message)
  }
}

/** Owners whose writing may not begin any more are due at once for whoever comes next. */
const giveBack = (ctx: Ctx, changes: Change[]) =>
  endOwners(
    ctx,
    changes.map(({ owner }) => ({ ...settled(owner), dueAt: ctx.now, attempts: owner.attempts }))
  )
