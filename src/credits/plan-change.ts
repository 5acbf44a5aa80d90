import type { Credit, CreditChange, CreditEntry, LotPart, Reservation } from './credit.ts'
import { type CreditTotals, countEntry, isForfeit, isReconciled, noTotals } from './credit-totals.ts'

/** The unspent rest of one entry's credit. A lot that this transaction creates has no entry id yet. */
export type Lot = {
  entryId: number | null
  operationId: string | null
  expiresAt: Temporal.Instant | null
  remainingMinor: number
  /** Of the rest, what open reservations hold. */
  reservedMinor: number
  /** As the table has it: what is written is the difference, so that its constraints see what others have written. */
  before: { remainingMinor: number; reservedMinor: number }
  /** Not in the table: it was used up, and has credit again. */
  isMissing: boolean
  isChanged: boolean
}

/** A reservation as the current transaction leaves it. One that it makes has no id yet. */
export type ReservationDraft = Omit<Reservation, 'id'> & {
  id: number | null
  /** The lots that it holds, in the order of spending, and how much of each. */
  holds: LotPart[]
  /** The operation of the entry that captures it in this transaction. */
  captureOperation: string | null
  isChanged: boolean
}

/** A locked account as the current transaction leaves it, change by change. */
export type Draft = {
  memberId: number
  /** On the platform: nobody adds credit for them any more. */
  isDeleted: boolean
  balanceMinor: number
  reservedMinor: number
  /** As the table has it. */
  before: { balanceMinor: number; reservedMinor: number }
  entries: number
  updatedAt: Temporal.Instant | null
  /** In lots past their date that are not expired yet, without what reservations hold of them. */
  dueMinor: number
  /** What this transaction adds to the totals, and the times that it sets. */
  totals: CreditTotals
  forfeitedAt: Temporal.Instant | null
  reconciledAt: Temporal.Instant | null
  /** In the order of spending; at least as many as the changes can need. Those past their date are there only if something holds them. */
  lots: Lot[]
  /** The open reservations of the account, and those that were opened or ended just now. */
  reservations: ReservationDraft[]
  /** What refunds, disputes and forfeits could not take since open reservations held it, oldest first. */
  missing: HeldShortfall[]
  /** The entries that took it when these ended: they are written with the others. */
  collected: NewEntry[]
}

/** What a refund, dispute or forfeit could not take, and the reservations that held credit then. */
export type HeldShortfall = {
  entryId: number
  type: CreditEntry['type']
  minor: number
  heldBy: number[]
  orderId: number | null
  reason: string
  /** The entry that issued the credit; null of a forfeit. */
  reversesId: number | null
}

export type NewEntry = Omit<CreditEntry, 'id'> & {
  spent: LotPart[] | null
  /** The reservations that were open when a refund, dispute or forfeit fell short. */
  heldBy: number[] | null
  takeBackId: number | null
}

export function emptyDraft(memberId: number, isDeleted = false): Draft {
  return {
    memberId,
    isDeleted,
    balanceMinor: 0,
    reservedMinor: 0,
    before: { balanceMinor: 0, reservedMinor: 0 },
    entries: 0,
    updatedAt: null,
    dueMinor: 0,
    totals: noTotals(),
    forfeitedAt: null,
    reconciledAt: null,
    lots: [],
    reservations: [],
    missing: [],
    collected: []
  }
}

/** A lot that the table does not have. */
const NOTHING = { remainingMinor: 0, reservedMinor: 0 }

/** Types whose deductions can be reversed: their entries keep the lots that they were spent from. */
const REVERSIBLE = new Set<CreditChange['type']>(['redemption', 'refund', 'dispute', 'forfeit'])

/** Types that take later what they fell short of, when a reservation gives it back. */
const COLLECTING = new Set<CreditChange['type']>(['refund', 'dispute', 'forfeit'])

/** Applies one change to the draft. Returns a word when the account does not allow it; the draft is then unchanged. */
export function planChange(
  draft: Draft,
  change: CreditChange,
  now: Temporal.Instant
): NewEntry | 'not enough' | 'too much' {
  if (change.amountMinor > 0 || change.shortfallMinor !== undefined) {
    if (!Number.isSafeInteger(draft.balanceMinor + change.amountMinor)) return 'too much'
    addLots(draft, change)
    return append(draft, change, now)
  }
  const available = availableOf(draft)
  const wanted = -change.amountMinor
  const taken = change.isCapped ? Math.min(wanted, available) : wanted
  if (taken > available) return 'not enough'
  const spent = spend(draft.lots, taken, now, change.reversesId ?? null)
  const deducted = { ...change, amountMinor: taken === 0 ? 0 : -taken, shortfallMinor: wanted - taken }
  return append(draft, deducted, now, spent, heldBy(draft, deducted))
}

/** The open reservations, where a refund, dispute or forfeit falls short: it takes more when they give something back. */
function heldBy(
  { reservations }: Draft,
  { type, shortfallMinor }: { type: CreditEntry['type']; shortfallMinor: number }
) {
  if (shortfallMinor === 0 || !COLLECTING.has(type)) return null
  const open = reservations.flatMap(({ id, status }) => (id !== null && status === 'reserved' ? [id] : []))
  return open.length > 0 ? open : null
}

/** Expires lots, as far as no reservation holds them; the draft's lots are those that are past their date. */
export function planExpiry(draft: Draft, now: Temporal.Instant): NewEntry[] {
  return draft.lots.flatMap((lot) => {
    const minor = lot.remainingMinor - lot.reservedMinor
    if (minor === 0) return []
    // What a reservation held when its lot expired expires by another entry.
    const operationId = `expire:${lot.entryId}${lot.remainingMinor === minor ? '' : `:${draft.entries + 1}`}`
    lot.remainingMinor = lot.reservedMinor
    lot.isChanged = true
    const change = {
      memberId: draft.memberId,
      type: 'expired' as const,
      amountMinor: -minor,
      reason: 'expired',
      operationId
    }
    return [append(draft, change, now)]
  })
}

/** What can be deducted or reserved. */
export function availableOf({
  balanceMinor,
  reservedMinor,
  dueMinor
}: Pick<Draft, 'balanceMinor' | 'reservedMinor' | 'dueMinor'>): number {
  return Math.max(0, balanceMinor - reservedMinor - dueMinor)
}

/** The account as it is at this point of the transaction. */
export function creditOf(draft: Draft): Credit {
  const { memberId, balanceMinor, reservedMinor, updatedAt } = draft
  return { memberId, balanceMinor, reservedMinor, availableMinor: availableOf(draft), updatedAt }
}

/** The entry of a change that the lots have already, and what it does to the account. */
export function append(
  draft: Draft,
  change: CreditChange,
  now: Temporal.Instant,
  spent: LotPart[] | null = null,
  heldBy: number[] | null = null
): NewEntry {
  draft.balanceMinor += change.amountMinor
  draft.entries += 1
  draft.updatedAt = now
  const entry: NewEntry = {
    memberId: draft.memberId,
    position: draft.entries,
    type: change.type,
    amountMinor: change.amountMinor,
    balanceAfterMinor: draft.balanceMinor,
    reason: change.reason,
    orderId: change.orderId ?? null,
    operationId: change.operationId,
    expiresAt: change.expiresAt ?? null,
    createdAt: now,
    reversesId: change.reversesId ?? null,
    shortfallMinor: change.shortfallMinor ?? 0,
    mark: change.mark ?? null,
    spent: REVERSIBLE.has(change.type) ? spent : null,
    heldBy,
    takeBackId: change.takeBackId ?? null
  }
  countEntry(draft.totals, entry)
  if (isForfeit(entry)) draft.forfeitedAt = now
  if (isReconciled(entry)) draft.reconciledAt = now
  return entry
}

/** Gives parts back to the lots that they came from; the rest is a lot of the new entry. */
function addLots({ lots }: Draft, { amountMinor, operationId, expiresAt = null, returns = [] }: CreditChange) {
  let rest = amountMinor
  for (const { entryId, minor, expiresAt } of returns) {
    rest -= minor
    const lot = lots.find((other) => other.entryId === entryId)
    if (lot) {
      lot.remainingMinor += minor
      lot.isChanged = true
    } else {
      const again = { entryId, operationId: null, expiresAt, remainingMinor: minor, reservedMinor: 0, before: NOTHING }
      insertInOrder(lots, { ...again, isMissing: true, isChanged: true })
    }
  }
  if (rest === 0) return
  const added = { entryId: null, operationId, expiresAt, remainingMinor: rest, reservedMinor: 0, before: NOTHING }
  insertInOrder(lots, { ...added, isMissing: false, isChanged: true })
}

/** What expires first is spent first, what never expires last; of equal dates the older lot, by its entry. */
export function insertInOrder(lots: Lot[], lot: Lot): void {
  const later = lots.findIndex((other) => inOrder(other, lot) > 0)
  lots.splice(later < 0 ? lots.length : later, 0, lot)
}

function inOrder(a: Lot, b: Lot): number {
  if (a.expiresAt === null || b.expiresAt === null) {
    if (a.expiresAt !== b.expiresAt) return a.expiresAt === null ? 1 : -1
  } else {
    const byDate = Temporal.Instant.compare(a.expiresAt, b.expiresAt)
    if (byDate !== 0) return byDate
  }
  return (a.entryId ?? Number.POSITIVE_INFINITY) > (b.entryId ?? Number.POSITIVE_INFINITY) ? 1 : -1
}

export const isOver = ({ expiresAt }: Lot, now: Temporal.Instant) =>
  expiresAt !== null && Temporal.Instant.compare(expiresAt, now) <= 0

/** What of a lot can be spent or reserved. */
export function freeOf(lot: Lot, now: Temporal.Instant): number {
  return isOver(lot, now) ? 0 : lot.remainingMinor - lot.reservedMinor
}

/** Takes from the lot of the entry `first`, if it is given, and then from the others in order. Returns what was taken of each. */
export function spend(lots: Lot[], amountMinor: number, now: Temporal.Instant, first: number | null): LotPart[] {
  const spent: LotPart[] = []
  let wanted = amountMinor
  const take = (lot: Lot) => {
    const taken = Math.min(freeOf(lot, now), wanted)
    if (taken === 0) return
    lot.remainingMinor -= taken
    lot.isChanged = true
    wanted -= taken
    // A lot of this very transaction has no number yet; nothing that can be reversed is spent from it in the same one.
    if (lot.entryId !== null) spent.push({ entryId: lot.entryId, minor: taken })
  }
  if (first !== null) for (const lot of lots) if (lot.entryId === first) take(lot)
  for (const lot of lots) {
    if (wanted === 0) break
    take(lot)
  }
  if (wanted > 0) throw new Error(`The lots are ${wanted} short of the balance`)
  return spent
}
