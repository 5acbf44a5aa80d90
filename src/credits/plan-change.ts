import type { Credit, CreditChange, CreditEntry } from './credit.ts'

/** The unspent rest of one entry's credit. A lot that this transaction creates has no entry id yet. */
export type Lot = {
  entryId: number | null
  operationId: string | null
  expiresAt: Temporal.Instant | null
  remainingMinor: number
  isChanged: boolean
}

/** A locked account as the current transaction leaves it, change by change. */
export type Draft = {
  memberId: number
  balanceMinor: number
  entries: number
  updatedAt: Temporal.Instant | null
  /** In lots past their date that are not expired yet. */
  dueMinor: number
  /** In the order of spending; at least as many as the changes can need. */
  lots: Lot[]
}

export type NewEntry = Omit<CreditEntry, 'id'>

/** Applies one change to the draft. Returns a word when the account does not allow it; the draft is then unchanged. */
export function planChange(
  draft: Draft,
  change: CreditChange,
  now: Temporal.Instant
): NewEntry | 'not enough' | 'too much' {
  const { amountMinor } = change
  if (-amountMinor > availableOf(draft)) return 'not enough'
  if (!Number.isSafeInteger(draft.balanceMinor + amountMinor)) return 'too much'
  if (amountMinor < 0) spend(draft.lots, -amountMinor)
  else addLot(draft, change)
  return append(draft, change, now)
}

/** Expires whole lots; the draft's lots are those that are past their date. */
export function planExpiry(draft: Draft, now: Temporal.Instant): NewEntry[] {
  return draft.lots.map((lot) => {
    const amountMinor = -lot.remainingMinor
    const operationId = `expire:${lot.entryId}`
    const entry = append(
      draft,
      { memberId: draft.memberId, type: 'expired', amountMinor, reason: 'expired', operationId },
      now
    )
    lot.remainingMinor = 0
    lot.isChanged = true
    return entry
  })
}

export function availableOf({ balanceMinor, dueMinor }: Pick<Draft, 'balanceMinor' | 'dueMinor'>): number {
  return Math.max(0, balanceMinor - dueMinor)
}

/** The account as it is at this point of the transaction. */
export function creditOf(draft: Draft): Credit {
  const { memberId, balanceMinor, updatedAt } = draft
  return { memberId, balanceMinor, availableMinor: availableOf(draft), updatedAt }
}

function append(draft: Draft, change: CreditChange, now: Temporal.Instant): NewEntry {
  draft.balanceMinor += change.amountMinor
  draft.entries += 1
  draft.updatedAt = now
  return {
    memberId: draft.memberId,
    position: draft.entries,
    type: change.type,
    amountMinor: change.amountMinor,
    balanceAfterMinor: draft.balanceMinor,
    reason: change.reason,
    orderId: change.orderId ?? null,
    operationId: change.operationId,
    expiresAt: change.expiresAt ?? null,
    createdAt: now
  }
}

/** Added credit first fills a balance below zero: only the rest above zero can be spent. */
function addLot({ lots, balanceMinor }: Draft, { amountMinor, operationId, expiresAt = null }: CreditChange) {
  const remainingMinor = Math.min(amountMinor, balanceMinor + amountMinor)
  if (remainingMinor <= 0) return
  const lot = { entryId: null, operationId, expiresAt, remainingMinor, isChanged: true }
  const later = lots.findIndex((other) => expiresLater(other.expiresAt, expiresAt))
  lots.splice(later < 0 ? lots.length : later, 0, lot)
}

/** Null, never, is later than any date; of equal dates the earlier lot is spent first. */
function expiresLater(a: Temporal.Instant | null, b: Temporal.Instant | null): boolean {
  if (b === null) return false
  return a === null || Temporal.Instant.compare(a, b) > 0
}

function spend(lots: Lot[], amountMinor: number) {
  let wanted = amountMinor
  for (const lot of lots) {
    if (wanted === 0) return
    const taken = Math.min(lot.remainingMinor, wanted)
    if (taken === 0) continue
    lot.remainingMinor -= taken
    lot.isChanged = true
    wanted -= taken
  }
  if (wanted > 0) throw new Error(`The lots are ${wanted} short of the balance`)
}
