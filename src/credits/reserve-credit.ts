import { type Ctx, sentTogether } from '#kit/postgres'
import type { Refusal } from '#kit/refusal'
import { storeContext } from '#stores'
import { writeAccounts } from './change-credits.ts'
import type { Reservation } from './credit.ts'
import { openAccounts } from './open-accounts.ts'
import { creditOf, type ReservationDraft } from './plan-change.ts'
import { planReservation } from './plan-reservation.ts'
import { customerDeleted, notEnoughCredit } from './refusals.ts'
import { listReservationsOf } from './reservation-queries.ts'

export type ReservationRequest = Pick<Reservation, 'memberId' | 'amountMinor' | 'reason' | 'operationId' | 'expiresAt'>
export type ReservationOutcome =
  | { refusal: Refusal; reservation?: undefined }
  | { refusal?: undefined; reservation: Reservation }

/**
 * Holds credit for open checkouts, in the given order; each is independent of the others. What is held is not available to anybody
 * else until the reservation is captured or released, or its time is over. It is no entry of the ledger. Refused for a customer who is
 * deleted on the platform.
 */
export async function reserveCredit(ctx: Ctx, requests: ReservationRequest[]): Promise<ReservationOutcome[]> {
  if (requests.length === 0) return []
  const operations = requests.map(({ operationId }) => operationId)
  const wants = requests.map(({ memberId, amountMinor }) => ({ memberId, spends: amountMinor }))
  const [{ drafts, draftOf, read }, { currency }] = await sentTogether(
    openAccounts(ctx, wants, () => listReservationsOf(ctx, operations)),
    storeContext(ctx)
  )
  const before = new Map(read.map((known) => [known.operationId, known]))
  const opened = new Map<string, ReservationDraft>()
  const outcomes = requests.map((request) => {
    const { operationId } = request
    if (before.has(operationId) || opened.has(operationId)) return null
    const draft = draftOf(request.memberId)
    if (draft.isDeleted) return customerDeleted(draft.memberId)
    const planned = planReservation(draft, request, ctx.now)
    if (planned === 'not enough') return notEnoughCredit(creditOf(draft), request.amountMinor, currency)
    opened.set(operationId, planned)
    return null
  })
  const { reservations: ids } = await writeAccounts(ctx, drafts, [])
  return outcomes.map((refusal, i) => {
    if (refusal) return { refusal }
    const { operationId } = requests[i]!
    const known = before.get(operationId)
    return { reservation: known ?? withId(opened.get(operationId)!, ids.get(operationId)!) }
  })
}

function withId({ holds, captureOperation, isChanged, ...reservation }: ReservationDraft, id: number): Reservation {
  return { ...reservation, id }
}
