import { type Ctx, sentTogether } from '#kit/postgres'
import { followMerges } from '#members'
import { availableOf, type Draft, emptyDraft, insertInOrder, type Lot, type ReservationDraft } from './plan-change.ts'
import { planAbort } from './plan-reservation.ts'
import {
  type Account,
  countMissedEntries,
  insertMissingAccounts,
  listLots,
  listSpendable,
  lockAccounts
} from './queries.ts'
import { listHeldShortfalls, listOpenReservations, type OpenReservation } from './reservation-queries.ts'

/** What a transaction wants with an account. */
export type Want = {
  memberId: number
  /** Credit is added: the account is made if there is none. */
  adds?: boolean
  /** The most that may be deducted or reserved. */
  spends?: number
  /** Entries whose lots must be there, if they have any: credit goes back to them, or is taken from them first. */
  lotsOf?: number[]
  /** The account itself, also where the platform has merged the customer into another. */
  isOwn?: boolean
}

/** How many lots are read first for a member who spends; most members have far fewer. */
const LOTS_AT_FIRST = 50

/** Locked accounts. `draftOf` gives that of whom a customer was merged into, and an empty one where there is no account. */
export type Opened<T> = { drafts: Draft[]; draftOf: (memberId: number) => Draft; read: T }

/**
 * Locks accounts in order of member and reads what the changes can need of them. Reservations whose time is over are aborted. An
 * account that there is not is left out. `alsoRead` is what else must be read under the locks: it is sent with them, in one round
 * trip, and once more where an account had to be made first.
 *
 * Of a customer whom the platform has merged into another the account of who was kept is opened, also where the merge was committed
 * while we waited for the lock: whatever is changed then is the other's. That lock is out of order; should it come to a deadlock, the
 * transaction is repeated.
 */
export async function openAccounts<T>(ctx: Ctx, wants: Want[], alsoRead: () => Promise<T>): Promise<Opened<T>> {
  const keptOf = new Map<number, number>()
  const kept = (memberId: number) => keptOf.get(memberId) ?? memberId
  for (;;) {
    const opened = await openTheirs(
      ctx,
      wants.map((want) => ({ ...want, memberId: kept(want.memberId) })),
      alsoRead
    )
    const led = wants.filter(({ isOwn, memberId }) => !isOwn && opened.merged.has(kept(memberId)))
    const ends = led.length === 0 ? keptOf : await followMerges(ctx, [...new Set(led.map(({ memberId }) => memberId))])
    if (led.every(({ memberId }) => ends.get(memberId) === kept(memberId))) {
      const { drafts, deleted, read } = opened
      const draftOf = (memberId: number) => {
        const id = kept(memberId)
        return drafts.get(id) ?? emptyDraft(id, deleted.has(id))
      }
      return { drafts: [...drafts.values()], draftOf, read }
    }
    for (const [memberId, end] of ends) keptOf.set(memberId, end)
  }
}

type OpenedOfThose<T> = { drafts: Map<number, Draft>; merged: Set<number>; deleted: Set<number>; read: T }

/** As `openAccounts`, of exactly these members. `merged`, `deleted`: which of them are on the platform. */
async function openTheirs<T>(ctx: Ctx, wants: Want[], alsoRead: () => Promise<T>): Promise<OpenedOfThose<T>> {
  const spending = spendingOf(wants)
  // Statements of a transaction are carried out in the order in which they are sent: what follows a lock sees what it waited for.
  const first = () => listSpendable(ctx, wantedOf([...spending.keys()], spending, LOTS_AT_FIRST))
  let [accounts, lots, read] = await sentTogether(lockAccounts(ctx, [...spending.keys()]), first(), alsoRead())
  const gone = membersOf(lots.filter(({ mergedInto }) => mergedInto !== null))
  const missing = missingOf(accounts, wants).filter((memberId) => !gone.has(memberId))
  if (missing.length > 0) {
    await insertMissingAccounts(ctx, missing)
    const [made, ...again] = await sentTogether(lockAccounts(ctx, missing), first(), alsoRead())
    accounts = [...accounts, ...made]
    ;[lots, read] = again
  }
  const merged = membersOf(lots.filter(({ mergedInto }) => mergedInto !== null))
  const deleted = membersOf(lots.filter(({ isDeleted }) => isDeleted))
  const drafts = new Map(
    accounts.map((account): [number, Draft] => {
      const { memberId, balanceMinor, reservedMinor, entries, updatedAt } = account
      const before = { balanceMinor, reservedMinor }
      const empty = emptyDraft(memberId, deleted.has(memberId))
      return [memberId, { ...empty, balanceMinor, reservedMinor, before, entries, updatedAt }]
    })
  )
  const behind = accounts.filter(({ entries, totalledEntries }) => totalledEntries < entries)
  if (behind.length > 0) {
    await countMissedEntries(
      ctx,
      behind.map(({ memberId }) => memberId)
    )
  }
  await readReserved(ctx, drafts, wants)
  await readLots(ctx, drafts, spending, lots)
  return { drafts, merged, deleted, read }
}

const membersOf = (rows: { memberId: number }[]) => new Set(rows.map(({ memberId }) => memberId))

/** For callers that read nothing else under the locks. */
export const nothingElse = async () => null

/** The most that each account may be asked for. */
function spendingOf(wants: Want[]): Map<number, number> {
  const spending = new Map<number, number>()
  for (const { memberId, spends = 0 } of wants) spending.set(memberId, (spending.get(memberId) ?? 0) + spends)
  return spending
}

/** Added credit creates an account; without an account there is nothing to deduct. */
function missingOf(accounts: Account[], wants: Want[]): number[] {
  const known = new Set(accounts.map(({ memberId }) => memberId))
  return [...new Set(wants.filter(({ adds, memberId }) => adds && !known.has(memberId)).map((w) => w.memberId))]
}

const wantedOf = (memberIds: number[], spending: Map<number, number>, most: number) =>
  memberIds.map((memberId) => ({ memberId, most: spending.get(memberId)! > 0 ? most : 0 }))

/** Reads the lots that are held or wanted by their entry; and of accounts that have any, the open reservations, and what is missing for them. */
async function readReserved(ctx: Ctx, drafts: Map<number, Draft>, wants: Want[]): Promise<void> {
  const holders = [...drafts.values()].filter(({ reservedMinor }) => reservedMinor > 0).map(({ memberId }) => memberId)
  const wanted = wants.flatMap(({ lotsOf = [] }) => lotsOf)
  if (holders.length === 0 && wanted.length === 0) return
  for (const { memberId, ...lot } of await listLots(ctx, holders, wanted)) {
    const draft = drafts.get(memberId)
    if (draft) insertInOrder(draft.lots, asLot(lot))
  }
  if (holders.length === 0) return
  const [open, missing] = await sentTogether(listOpenReservations(ctx, holders), listHeldShortfalls(ctx, holders))
  for (const reservation of open) drafts.get(reservation.memberId)!.reservations.push(asReservation(reservation))
  for (const { memberId, ...shortfall } of missing) drafts.get(memberId)!.missing.push(shortfall)
}

export function asReservation({ lots, minors, ...reservation }: OpenReservation): ReservationDraft {
  const holds = lots.map((entryId, i) => ({ entryId, minor: minors[i]! }))
  return { ...reservation, holds, captureOperation: null, isChanged: false }
}

/** Ends the reservations whose time is over, once the lots are read. */
function abortLapsed(ctx: Ctx, draft: Draft): void {
  for (const reservation of draft.reservations) {
    if (Temporal.Instant.compare(reservation.expiresAt, ctx.now) > 0) continue
    planAbort(draft, reservation, 'expired', ctx.now)
  }
}

/** Reads lots until they cover the amount that may be spent: an account may have very many, and most changes need one or two. */
async function readLots(
  ctx: Ctx,
  drafts: Map<number, Draft>,
  spending: Map<number, number>,
  first: Awaited<ReturnType<typeof listSpendable>>
): Promise<void> {
  let open = [...drafts.values()]
  let rows = first
  for (let most = LOTS_AT_FIRST; ; most *= 10) {
    const byMember = Map.groupBy(rows, (r) => r.memberId)
    open = open.filter((draft) => {
      const found = byMember.get(draft.memberId)!
      if (most === LOTS_AT_FIRST) {
        draft.dueMinor = found[0]!.dueMinor
        abortLapsed(ctx, draft)
      }
      const known = new Set(draft.lots.map(({ entryId }) => entryId))
      let covered = 0
      let read = 0
      for (const { entryId, remainingMinor, reservedMinor, expiresAt } of found) {
        if (entryId === null) continue
        read++
        covered += remainingMinor! - reservedMinor!
        if (known.has(entryId)) continue
        insertInOrder(
          draft.lots,
          asLot({ entryId, remainingMinor: remainingMinor!, reservedMinor: reservedMinor!, expiresAt })
        )
      }
      return read === most && covered < Math.min(spending.get(draft.memberId)!, availableOf(draft))
    })
    if (open.length === 0) return
    const members = open.map(({ memberId }) => memberId)
    rows = await listSpendable(ctx, wantedOf(members, spending, most * 10))
  }
}

export const asLot = (lot: Pick<Lot, 'entryId' | 'remainingMinor' | 'reservedMinor' | 'expiresAt'>): Lot => ({
  ...lot,
  before: { remainingMinor: lot.remainingMinor, reservedMinor: lot.reservedMinor },
  operationId: null,
  isMissing: false,
  isChanged: false
})
