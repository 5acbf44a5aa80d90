import { type Ctx, sentTogether } from '#kit/postgres'
import { followMerges } from '#members'
import { addLot, append, type Draft, takeFromLots } from './draft.ts'
import type { NewEntry } from './points.ts'
import { insertMissingAccounts, listLastAdded, listLots, listPending, lockAccounts } from './queries.ts'

/** What a transaction wants with an account. */
export type Want = {
  memberId: number
  /** Points may be added: the account is made if there is none. */
  adds?: boolean
  /** The most that may be taken from the balance. */
  takes?: number
  /** Entries whose lots must be there, if they have any. */
  lotsOf?: number[]
  /** The account itself, also where the platform has merged the customer into another. */
  isOwn?: boolean
}

/**
 * Locked accounts, and the entries of this transaction. `draftOf` gives the account of whom a customer was merged into, and an empty one where
 * there is none.
 */
export type Opened = { drafts: Draft[]; entries: NewEntry[]; draftOf: (memberId: number) => Draft }

/** All of a balance. */
export const ALL = Number.MAX_SAFE_INTEGER

/**
 * Locks accounts in order of member and reads what the changes can need of them. What is due by now happens before anything else: pending
 * points are earned, and lots past their date expire.
 *
 * Of a customer whom the platform has merged into another the account of who was kept is opened, also where the merge was committed
 * while we waited for the lock. That lock is out of order; should it come to a deadlock, the transaction is repeated.
 */
export async function openAccounts(ctx: Ctx, wants: Want[]): Promise<Opened> {
  const keptOf = new Map<number, number>()
  const kept = ({ memberId, isOwn = false }: Want) => (isOwn ? memberId : (keptOf.get(memberId) ?? memberId))
  const locked: Awaited<ReturnType<typeof lockAccounts>> = []
  const toFollow = [...new Set(wants.filter(({ isOwn }) => !isOwn).map(({ memberId }) => memberId))]
  const tried = new Set<number>()
  for (;;) {
    const untried = [...new Set(wants.map(kept))].filter((id) => !tried.has(id)).sort((a, b) => a - b)
    if (untried.length === 0) break
    const toMake = new Set(wants.filter(({ adds }) => adds).map(kept))
    locked.push(...(await lockOrMake(ctx, untried, toMake)))
    for (const id of untried) tried.add(id)
    for (const [from, to] of await followMerges(ctx, toFollow)) keptOf.set(from, to)
  }
  const opened = new Set(wants.map(kept))
  const accounts = locked.filter(({ memberId }) => opened.has(memberId))
  const entries: NewEntry[] = []
  const drafts = new Map(accounts.map((account) => [account.memberId, asDraft(account, entries)]))
  await readParts(
    ctx,
    drafts,
    wants.map((want) => ({ ...want, memberId: kept(want) }))
  )
  for (const draft of drafts.values()) {
    earnDue(draft, ctx.now)
    expireDue(draft, ctx.now)
  }
  const draftOf = (memberId: number) => {
    const id = keptOf.get(memberId) ?? memberId
    return drafts.get(id) ?? asDraft({ memberId: id, ...NOTHING }, entries)
  }
  return { drafts: [...drafts.values()], entries, draftOf }
}

const NOTHING = { balance: 0, pendingPoints: 0, lifetimePoints: 0, lottedPoints: 0 }

async function lockOrMake(ctx: Ctx, memberIds: number[], toMake: ReadonlySet<number>) {
  const accounts = await lockAccounts(ctx, memberIds)
  const there = new Set(accounts.map(({ memberId }) => memberId))
  const missing = memberIds.filter((id) => toMake.has(id) && !there.has(id))
  if (missing.length === 0) return accounts
  await insertMissingAccounts(ctx, missing)
  return [...accounts, ...(await lockAccounts(ctx, missing))]
}

function asDraft(
  { memberId, lottedPoints, ...amounts }: Awaited<ReturnType<typeof lockAccounts>>[number],
  entries: NewEntry[]
): Draft {
  return { memberId, ...amounts, before: { ...amounts, lottedPoints }, lots: [], pending: [], entries }
}

async function readParts(ctx: Ctx, drafts: Map<number, Draft>, wants: Want[]): Promise<void> {
  const most = new Map<number, number>()
  for (const { memberId, takes = 0 } of wants) most.set(memberId, Math.min(ALL, (most.get(memberId) ?? 0) + takes))
  const behind = [...drafts.values()].filter(({ before }) => before.balance !== before.lottedPoints)
  for (const { memberId } of behind) most.set(memberId, ALL)
  const wanted = [...most].map(([memberId, most]) => ({ memberId, most }))
  const ofEntries = wants.flatMap(({ lotsOf = [] }) => lotsOf)
  const [lots, pending] = await sentTogether(listLots(ctx, wanted, ofEntries), listPending(ctx, [...drafts.keys()]))
  for (const { memberId, entryId, remainingPoints, expiresAt } of lots) {
    drafts.get(memberId)!.lots.push({
      entryId,
      operationId: null,
      pendingId: null,
      expiresAt,
      remaining: remainingPoints,
      isChanged: false
    })
  }
  for (const { memberId, remainingPoints, ...one } of pending) {
    drafts.get(memberId)!.pending.push({ ...one, operationId: null, remaining: remainingPoints, isChanged: false })
  }
  if (behind.length > 0) await followOlderNodes(ctx, behind)
}

/** Nodes of before have changed balances without lots: what they have added is a lot without a date, what they have taken is taken. */
async function followOlderNodes(ctx: Ctx, drafts: Draft[]): Promise<void> {
  const last = await listLastAdded(
    ctx,
    drafts.map(({ memberId }) => memberId)
  )
  for (const draft of drafts) {
    const more = draft.before.balance - draft.before.lottedPoints
    if (more < 0) takeFromLots(draft, -more)
    else addLot(draft, more, { entryId: last.get(draft.memberId)!, expiresAt: null })
  }
}

/** Points whose time of waiting is over are earned. */
function earnDue(draft: Draft, now: Temporal.Instant): void {
  for (const one of draft.pending) {
    if (one.remaining === 0 || Temporal.Instant.compare(one.readyAt, now) > 0) continue
    const { remaining: points, expiresAt } = one
    const operationId = `ready:${one.entryId}`
    one.remaining = 0
    one.isChanged = true
    addLot(draft, points, { operationId, pendingId: one.entryId, expiresAt })
    append(
      draft,
      'earned',
      { reason: one.reason, operationId, orderId: one.orderId },
      { points, pendingPoints: -points, lifetimePoints: points },
      { expiresAt, pendingId: one.entryId }
    )
  }
}

/** Lots past their date expire, each by an entry of its own. A lot to which something was given back may have a later date and expire again. */
function expireDue(draft: Draft, now: Temporal.Instant): void {
  for (const lot of draft.lots) {
    if (lot.remaining === 0 || lot.expiresAt === null || Temporal.Instant.compare(lot.expiresAt, now) > 0) continue
    const points = -lot.remaining
    lot.remaining = 0
    lot.isChanged = true
    const operationId = `expire:${lot.entryId ?? lot.operationId}:${lot.expiresAt.epochMilliseconds}`
    append(draft, 'expired', { reason: 'expired', operationId }, { points })
  }
}
