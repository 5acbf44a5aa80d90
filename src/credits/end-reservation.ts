import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { followMerges } from '#members'
import { storeContext } from '#stores'
import { writeAccounts } from './change-credits.ts'
import type { CreditEntry, Reservation } from './credit.ts'
import { nothingElse, openAccounts } from './open-accounts.ts'
import { planAbort, planCapture } from './plan-reservation.ts'
import { moreThanReserved, noSuchReservation, reservationEnded } from './refusals.ts'
import { findReservation } from './reservation-queries.ts'

export type Capture = {
  /** At most what is reserved, which is also the default; the rest is released. */
  amountMinor?: number
  orderId?: number | null
  reason?: string
}

/** Spends what a reservation holds: one entry of type redemption. Refused once it has ended, and from its time on. */
export async function captureReservation(
  ctx: Ctx,
  memberId: number,
  id: number,
  { amountMinor, orderId = null, reason }: Capture = {}
): Promise<{ reservation: Reservation; entry: CreditEntry }> {
  const { draft, reservation } = await openReservation(ctx, memberId, id)
  const minor = amountMinor ?? reservation.amountMinor
  if (minor > reservation.amountMinor) {
    const { currency } = await storeContext(ctx)
    throw moreThanReserved(reservation.amountMinor, minor, currency)
  }
  const entry = planCapture(
    draft,
    reservation,
    {
      memberId,
      type: 'redemption',
      amountMinor: -minor,
      reason: reason ?? reservation.reason,
      operationId: `reservation:${id}`,
      orderId
    },
    ctx.now
  )
  const { entries } = await writeAccounts(ctx, [draft], [entry])
  return { reservation: (await findReservation(ctx, id))!, entry: entries.get(entry.operationId)! }
}

/** Gives back what a reservation holds. Refused once it has ended, and from its time on. */
export async function releaseReservation(ctx: Ctx, memberId: number, id: number): Promise<Reservation> {
  const { draft, reservation } = await openReservation(ctx, memberId, id)
  planAbort(draft, reservation, 'released', ctx.now)
  await writeAccounts(ctx, [draft], [])
  return (await findReservation(ctx, id))!
}

/** Ends the reservations of accounts whose time is over, and locks the accounts. Returns how many ended. */
export async function endLapsedReservations(ctx: Ctx, memberIds: number[]): Promise<number> {
  const { drafts } = await openAccounts(
    ctx,
    memberIds.map((memberId) => ({ memberId, isOwn: true })),
    nothingElse
  )
  await writeAccounts(ctx, drafts, [])
  return drafts.flatMap(({ reservations }) => reservations.filter((r) => r.isChanged)).length
}

/** A reservation of the customer, also of one who was merged into them, in any state; null if there is none with this id. */
export async function findReservationOf(ctx: Ctx, memberId: number, id: number): Promise<Reservation | null> {
  const found = await findReservation(ctx, id)
  if (!found || found.memberId === memberId) return found
  const owner = (await followMerges(ctx, [found.memberId])).get(found.memberId)
  return owner === memberId ? found : null
}

/** The locked account of a reservation that is open: that of whom it was made for. Refuses one that has ended, and says how. */
async function openReservation(ctx: Ctx, memberId: number, id: number) {
  const known = await findReservationOf(ctx, memberId, id)
  if (!known) throw noSuchReservation(publicId('scr', id))
  // What it holds is read anyway; other lots only matter where an older node has spent a lot that was held.
  const wants = [{ memberId: known.memberId, spends: 1, isOwn: true }]
  const [draft] = (await openAccounts(ctx, wants, nothingElse)).drafts
  const reservation = draft?.reservations.find((r) => r.id === id)
  if (draft && reservation?.status === 'reserved') return { draft, reservation }
  throw reservationEnded(reservation ? { ...reservation, id } : (await findReservation(ctx, id))!)
}
