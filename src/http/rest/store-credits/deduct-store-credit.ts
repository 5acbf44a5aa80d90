import { Type } from 'typebox'
import { minorOf } from '#kit/money'
import { CreditBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope } from '../envelope.ts'
import { Amount, operationOfRequest, Reason } from './change-credit.ts'
import { CustomerParams } from './credit-customer.ts'

const DeductBody = Type.Object({ amount: Amount, reason: Reason('Corrected: the parcel came in time') })

/** POST /store-credits/{customer_id}/deduct (spec 1, Endpoints). */
export function deductStoreCreditRoute(rest: Surface, { changeCredit }: RestDeps): void {
  rest.post(
    '/store-credits/:customer_id/deduct',
    {
      config: { allow: 'write:store_credits' },
      schema: {
        operationId: 'deductStoreCredit',
        summary: 'Deduct store credit',
        description:
          'Deducts store credit and returns the new balance. To deduct more than is available is an error and changes nothing.',
        params: CustomerParams,
        body: DeductBody,
        response: { 200: Envelope(CreditBody) },
        responseExample: { balance: 20, available: 20, updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => {
      const { currency, profile } = callerOf(request)
      const { amount, reason } = request.body
      const amountMinor = -minorOf(amount, currency)
      return changeCredit(request, reply, {
        customer: request.params.customer_id,
        profile,
        currency,
        change: { type: 'manual_deduct', amountMinor, reason, operationId: operationOfRequest(request) }
      })
    }
  )
}
