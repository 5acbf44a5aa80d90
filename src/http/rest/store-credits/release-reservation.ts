import { Type } from 'typebox'
import { releaseReservation } from '#credits'
import { ReservationBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { endedReservation, ReservationParams } from './one-reservation.ts'

/** POST /store-credits/{customer_id}/reservations/{reservation_id}/release */
export function releaseReservationRoute(rest: Surface): void {
  rest.post(
    '/store-credits/:customer_id/reservations/:reservation_id/release',
    {
      config: { allow: 'write:store_credits' },
      schema: {
        operationId: 'releaseStoreCreditReservation',
        summary: 'Release reserved store credit',
        description: 'Makes reserved store credit available again. The reservation is aborted and leaves no entry.',
        params: ReservationParams,
        body: Type.Object({}),
        response: { 200: Envelope(ReservationBody) },
        responseExample: { status: 'aborted', ended_at: '2026-09-15T05:40:00.000Z' }
      }
    },
    (request, reply) => endedReservation(request, reply, (ctx, memberId, id) => releaseReservation(ctx, memberId, id))
  )
}
