import type { CreditChange, LotPart, Reservation } from './credit.ts'
import {
  append,
  availableOf,
  type Draft,
  freeOf,
  isOver,
  type Lot,
  type NewEntry,
  type ReservationDraft,
  spend
} from './plan-change.ts'

/** Holds credit for a checkout: the lots that would be spent next. */
export function planReservation(
  draft: Draft,
  wanted: Pick<Reservation, 'amountMinor' | 'reason' | 'operationId' | 'expiresAt'>,
  now: Temporal.Instant
): ReservationDraft | 'not enough' {
  if (wanted.amountMinor > availableOf(draft)) return 'not enough'
  const holds: LotPart[] = []
  let open = wanted.amountMinor
  for (const lot of draft.lots) {
    const minor = Math.min(freeOf(lot, now), open)
    if (minor === 0) continue
    lot.reservedMinor += minor
    lot.isChanged = true
    holds.push({ entryId: lot.entryId!, minor })
    open -= minor
  }
  if (open > 0) throw new Error(`The lots are ${open} short of the balance`)
  draft.reservedMinor += wanted.amountMinor
  const reservation: ReservationDraft = {
    id: null,
    memberId: draft.memberId,
    amountMinor: wanted.amountMinor,
    status: 'reserved',
    abortedBy: null,
    reason: wanted.reason,
    operationId: wanted.operationId,
    entryId: null,
    capturedMinor: null,
    expiresAt: wanted.expiresAt,
    createdAt: now,
    endedAt: null,
    holds,
    captureOperation: null,
    isChanged: true
  }
  draft.reservations.push(reservation)
  return reservation
}

/**
 * Gives back what a reservation holds: first to refunds, disputes and forfeits that could not take it. Of lots that are past their date meanwhile it is due
 * to expire.
 */
export function planAbort(
  draft: Draft,
  reservation: ReservationDraft,
  abortedBy: NonNullable<Reservation['abortedBy']>,
  now: Temporal.Instant
): void {
  const held = letGo(draft, reservation, now)
  reservation.status = 'aborted'
  reservation.abortedBy = abortedBy
  reservation.endedAt = now
  collectMissing(draft, reservation, held, now)
}

/**
 * Spends what a reservation holds, up to `change.amountMinor`, and gives back the rest. Lots that passed their date while they were
 * held are spent like the others.
 */
export function planCapture(
  draft: Draft,
  reservation: ReservationDraft,
  change: CreditChange,
  now: Temporal.Instant
): NewEntry {
  const held = letGo(draft, reservation, now)
  const wanted = -change.amountMinor
  const spent: LotPart[] = []
  let open = wanted
  for (const part of held) {
    const { lot } = part
    const taken = Math.min(part.minor, open)
    if (taken === 0) continue
    part.minor -= taken
    lot.remainingMinor -= taken
    if (isOver(lot, now)) draft.dueMinor -= taken
    spent.push({ entryId: lot.entryId!, minor: taken })
    open -= taken
  }
  // An older node does not know of reservations and may have spent a lot that was held; the balance covers the amount all the same.
  if (open > 0) spent.push(...spend(draft.lots, open, now, null))
  reservation.status = 'captured'
  reservation.capturedMinor = wanted
  reservation.captureOperation = change.operationId
  reservation.endedAt = now
  const entry = append(draft, change, now, spent)
  collectMissing(draft, reservation, held, now)
  return entry
}

/** What a reservation has held of a lot. */
type Held = { lot: Lot; minor: number }

/** Ends the hold of a reservation on its lots. */
function letGo(draft: Draft, reservation: ReservationDraft, now: Temporal.Instant): Held[] {
  const held = reservation.holds.flatMap((hold) => {
    const lot = draft.lots.find(({ entryId }) => entryId === hold.entryId)
    if (!lot) return []
    const minor = Math.min(hold.minor, lot.reservedMinor)
    lot.reservedMinor -= minor
    lot.isChanged = true
    if (isOver(lot, now)) draft.dueMinor += minor
    return [{ lot, minor }]
  })
  draft.reservedMinor -= reservation.amountMinor
  reservation.isChanged = true
  return held
}

/**
 * Takes from what a reservation gives back what refunds, disputes and forfeits could not take while it was open, each by an entry of its own: first the
 * credit that they are about, then what expires first. What is past its date expires instead.
 */
function collectMissing(draft: Draft, { id, memberId }: ReservationDraft, given: Held[], now: Temporal.Instant): void {
  const usable = given.filter(({ lot }) => !isOver(lot, now))
  for (const missing of draft.missing) {
    if (id === null || !missing.heldBy.includes(id)) continue
    const isOwn = ({ lot }: Held) => lot.entryId === missing.reversesId
    const spent: LotPart[] = []
    let taken = 0
    for (const part of [...usable.filter(isOwn), ...usable.filter((other) => !isOwn(other))]) {
      const minor = Math.min(part.minor, missing.minor - taken)
      if (minor === 0) continue
      part.minor -= minor
      part.lot.remainingMinor -= minor
      spent.push({ entryId: part.lot.entryId!, minor })
      taken += minor
    }
    if (taken === 0) continue
    missing.minor -= taken
    const { entryId, type, orderId, reason, reversesId } = missing
    const of = { memberId, type, orderId, reason, reversesId, takeBackId: entryId }
    const change = { ...of, amountMinor: -taken, shortfallMinor: -taken, operationId: `ended:${id}:${entryId}` }
    draft.collected.push(append(draft, change, now, spent))
  }
}
