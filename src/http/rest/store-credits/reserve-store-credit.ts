import { Type } from 'typebox'
import { minorOf } from '#kit/money'
import { ReservationBody } from '#resources'
import { notBlank } from '../../shared/not-blank.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope } from '../envelope.ts'
import { Amount, operationOfRequest } from './change-credit.ts'
import { CustomerParams } from './credit-customer.ts'

const DEFAULT_MINUTES = 30
const MAX_MINUTES = 1440

const ReserveBody = Type.Object({
  amount: Amount,
  reason: Type.Optional(
    notBlank(500, { meaning: 'The reason, for the history once it is captured', examples: ['Checkout'] })
  ),
  duration: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_MINUTES,
      description: `an integer from 1 to ${MAX_MINUTES} minutes`,
      meaning: `For how long the credit is held; ${DEFAULT_MINUTES} minutes by default`,
      examples: [15]
    })
  )
})

/** POST /store-credits/{customer_id}/reservations */
export function reserveStoreCreditRoute(rest: Surface, { reserveCredit }: RestDeps): void {
  rest.post(
    '/store-credits/:customer_id/reservations',
    {
      config: { allow: 'write:store_credits' },
      schema: {
        operationId: 'reserveStoreCredit',
        summary: 'Reserve store credit',
        description:
          'Holds store credit for a checkout. What is reserved is in the balance but not available, and can be neither deducted nor reserved again. When its time is over, the reservation is aborted and the credit is available again.',
        params: CustomerParams,
        body: ReserveBody,
        response: { 200: Envelope(ReservationBody) }
      }
    },
    (request, reply) => {
      const { currency, profile } = callerOf(request)
      const { amount, reason = 'redeemed at checkout', duration = DEFAULT_MINUTES } = request.body
      return reserveCredit(request, reply, {
        customer: request.params.customer_id,
        profile,
        currency,
        minutes: duration,
        wanted: { amountMinor: minorOf(amount, currency), reason, operationId: operationOfRequest(request) }
      })
    }
  )
}
