import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { noSuchReservation, type Reservation } from '#credits'
import { internalId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { refuseHeldByCode } from '#spending'
import type { Caller } from '#stores'
import { withIdempotency } from '../../shared/idempotency.ts'
import { callerOf } from '../caller.ts'
import { envelope } from '../envelope.ts'
import { presentReservation } from '../present-credit.ts'
import { CustomerParams, creditCustomer } from './credit-customer.ts'

/** Names a reservation of a customer in a path. */
export const ReservationParams = Type.Object({
  ...CustomerParams.properties,
  reservation_id: Type.String({ description: 'a reservation id', examples: ['scr_5'] })
})

type ReservationRequest = FastifyRequest & { params: Static<typeof ReservationParams> }

/** Answers a request that ends the reservation in its path, once per `Idempotency-Key`. */
export function endedReservation(
  request: ReservationRequest,
  reply: FastifyReply,
  act: (ctx: Ctx, memberId: number, id: number, caller: Caller) => Promise<Reservation>
) {
  const caller = callerOf(request)
  const { customer_id, reservation_id } = request.params
  return withIdempotency(request, reply, async (ctx) => {
    const memberId = await creditCustomer(ctx, customer_id, caller.profile)
    const id = internalId('scr', reservation_id)
    if (id === null) throw noSuchReservation(reservation_id)
    await refuseHeldByCode(ctx, id)
    const reservation = await act(ctx, memberId, id, caller)
    return envelope(presentReservation(reservation, caller.currency))
  })
}
