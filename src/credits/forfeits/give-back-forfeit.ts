import type { Ctx } from '#kit/postgres'
import { changeCredits } from '../change-credits.ts'
import { endLapsedReservations } from '../end-reservation.ts'
import { listEntriesOf } from '../queries.ts'
import { restoreCredit } from '../restore-credit.ts'
import { listLaterParts, listShortfallsSince } from '../reversal-queries.ts'
import { undoneOf } from './forfeit-credit.ts'

/**
 * Gives back what a forfeit has taken, also of what reservations gave back after it, once; nothing where there is no entry of that operation.
 * What reservations still hold is no longer asked for. Refunds and disputes that fell short since the forfeit take that from what is given
 * back: without the forfeit they would have taken it.
 */
export async function giveBackForfeit(
  ctx: Ctx,
  { operationId, memberId, reason }: { operationId: string; memberId: number; reason: string }
): Promise<void> {
  // Locks the account, so that nothing is added to what is read now.
  await endLapsedReservations(ctx, [memberId])
  const [forfeit] = await listEntriesOf(ctx, [operationId])
  if (!forfeit) return
  const later = await listLaterParts(ctx, forfeit.id)
  const parts = [forfeit, ...later.filter(({ amountMinor }) => amountMinor < 0)]
  const undone = parts.map((part) => undoneOf(part.operationId))
  if ((await listEntriesOf(ctx, undone)).length > 0) return

  const missing = later.reduce((sum, { shortfallMinor }) => sum + shortfallMinor, forfeit.shortfallMinor)
  const dropped = { takeBackId: missing > 0 ? forfeit.id : null, droppedMinor: missing }
  const outcomes = await restoreCredit(
    ctx,
    parts.map(({ id }, i) => ({
      entryId: id,
      memberId,
      type: 'forfeit',
      reason,
      operationId: undone[i]!,
      ...(i === 0 && dropped)
    }))
  )
  const given = outcomes.reduce((sum, outcome) => sum + (outcome?.entry?.amountMinor ?? 0), 0)
  await takeShortfalls(ctx, memberId, forfeit, given)
}

/** Has refunds and disputes that fell short since a forfeit take it from what the forfeit gives back, the oldest first. */
async function takeShortfalls(
  ctx: Ctx,
  memberId: number,
  forfeit: { id: number; operationId: string },
  given: number
): Promise<void> {
  let open = given
  const shares = (await listShortfallsSince(ctx, memberId, forfeit.id)).flatMap((shortfall) => {
    const minor = Math.min(shortfall.minor, open)
    open -= minor
    return minor > 0 ? [{ ...shortfall, minor }] : []
  })
  await restoreCredit(
    ctx,
    shares.map(({ entryId, type, minor, reason }) => ({
      entryId,
      memberId,
      type,
      reason,
      amountMinor: 0,
      takeBackId: entryId,
      droppedMinor: minor,
      operationId: `missing:${forfeit.operationId}:${entryId}`
    }))
  )
  await changeCredits(
    ctx,
    shares.map(({ entryId, type, minor, reason, orderId, reversesId }) => ({
      memberId,
      type,
      reason,
      orderId,
      reversesId,
      amountMinor: -minor,
      isCapped: true,
      operationId: `taken:${forfeit.operationId}:${entryId}`
    }))
  )
}
