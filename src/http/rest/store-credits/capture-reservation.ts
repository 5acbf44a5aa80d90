import { Type } from 'typebox'
import { captureReservation } from '#credits'
import { minorOf } from '#kit/money'
import { invalidField } from '#kit/refusal'
import { findOrderAndOwner } from '#orders'
import { ReservationBody } from '#resources'
import { notBlank } from '../../shared/not-blank.ts'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { Amount } from './change-credit.ts'
import { endedReservation, ReservationParams } from './one-reservation.ts'

const CaptureBody = Type.Object({
  amount: Type.Optional(
    Type.Number({ ...Amount, meaning: 'At most what is reserved, which is also the default; the rest is released' })
  ),
  order_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "an order id, the platform's number or its global id",
      meaning: 'The order that the credit is spent on: one of this customer, or of nobody',
      examples: ['7301842698']
    })
  ),
  reason: Type.Optional(
    notBlank(500, { meaning: 'The reason, for the history and the event', examples: ['Order #1001'] })
  )
})

/** POST /store-credits/{customer_id}/reservations/{reservation_id}/capture */
export function captureReservationRoute(rest: Surface): void {
  rest.post(
    '/store-credits/:customer_id/reservations/:reservation_id/capture',
    {
      config: { allow: 'write:store_credits' },
      schema: {
        operationId: 'captureStoreCreditReservation',
        summary: 'Capture reserved store credit',
        description:
          'Spends reserved store credit: one entry of type `redemption`. What is not captured is available again. A reservation can be captured once, before its time is over.',
        params: ReservationParams,
        body: CaptureBody,
        response: { 200: Envelope(ReservationBody) },
        responseExample: {
          status: 'captured',
          captured_amount: 10,
          transaction_id: 'sct_8',
          ended_at: '2026-09-15T05:40:00.000Z'
        }
      }
    },
    (request, reply) =>
      endedReservation(request, reply, async (ctx, memberId, id, { currency, profile }) => {
        const { amount, order_id, reason } = request.body
        const order = order_id === undefined ? null : await findOrderAndOwner(ctx, order_id, profile)
        if (order_id !== undefined && order === null) {
          throw invalidField('order_id', 'must be an order of the store that is known here', 'not_found')
        }
        if (order?.memberId && order.memberId !== memberId) {
          throw invalidField('order_id', 'must be an order of this customer; it is one of another customer')
        }
        const { reservation } = await captureReservation(ctx, memberId, id, {
          orderId: order?.id ?? null,
          ...(reason !== undefined && { reason }),
          ...(amount !== undefined && { amountMinor: minorOf(amount, currency) })
        })
        return reservation
      })
  )
}
