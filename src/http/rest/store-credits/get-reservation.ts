import { findReservationOf, noSuchReservation } from '#credits'
import { internalId } from '#kit/ids'
import { ReservationBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentReservation } from '../present-credit.ts'
import { creditCustomer } from './credit-customer.ts'
import { ReservationParams } from './one-reservation.ts'

/** GET /store-credits/{customer_id}/reservations/{reservation_id} */
export function getReservationRoute(rest: Surface): void {
  rest.get(
    '/store-credits/:customer_id/reservations/:reservation_id',
    {
      config: { allow: 'read:store_credits' },
      schema: {
        operationId: 'getStoreCreditReservation',
        summary: 'Read a reservation',
        description:
          'A reservation of store credit, open or ended. From its time on it is `aborted`, and `ended_at` is that time.',
        params: ReservationParams,
        response: { 200: Envelope(ReservationBody) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const { profile, currency } = callerOf(request)
        const { customer_id, reservation_id } = request.params
        const memberId = await creditCustomer(ctx, customer_id, profile)
        const id = internalId('scr', reservation_id)
        const found = id === null ? null : await findReservationOf(ctx, memberId, id)
        if (!found) throw noSuchReservation(reservation_id)
        // The engine ends it a moment later; it holds nothing any more.
        const isOver = found.status === 'reserved' && Temporal.Instant.compare(found.expiresAt, ctx.now) <= 0
        const shown = isOver ? { ...found, status: 'aborted' as const, endedAt: found.expiresAt } : found
        return envelope(presentReservation(shown, currency))
      })
  )
}
