import { Type } from 'typebox'
import { minorOf } from '#kit/money'
import { CreditBody } from '#resources'
import { IsoDate, instantOrUndefined } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope } from '../envelope.ts'
import { Amount, operationOfRequest, Reason } from './change-credit.ts'
import { CustomerParams } from './credit-customer.ts'

const AddBody = Type.Object({
  amount: Amount,
  reason: Reason('Sorry for the late parcel'),
  expires_at: IsoDate('When the unused part expires; without it the credit does not expire', '2030-01-31')
})

/** POST /store-credits/{customer_id}/add (spec 1, Endpoints). */
export function addStoreCreditRoute(rest: Surface, { changeCredit }: RestDeps): void {
  rest.post(
    '/store-credits/:customer_id/add',
    {
      config: { allow: 'write:store_credits' },
      schema: {
        operationId: 'addStoreCredit',
        summary: 'Add store credit',
        description: 'Adds store credit and returns the new balance. Credit that expires is used first.',
        params: CustomerParams,
        body: AddBody,
        response: { 200: Envelope(CreditBody) },
        responseExample: { balance: 30, available: 30, updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => {
      const { currency, profile, timezone } = callerOf(request)
      const { amount, reason, expires_at } = request.body
      const amountMinor = minorOf(amount, currency)
      const expiresAt = instantOrUndefined(expires_at, timezone) ?? null
      return changeCredit(request, reply, {
        customer: request.params.customer_id,
        profile,
        currency,
        change: { type: 'manual_add', amountMinor, reason, operationId: operationOfRequest(request), expiresAt }
      })
    }
  )
}
