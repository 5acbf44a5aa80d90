import { Type } from 'typebox'
import { minorOf } from '#kit/money'
import { CreditCodeBody } from '#resources'
import { requestCode } from '#spending'
import { CodeDuration, DEFAULT_MINUTES, presentCreditCode } from '../../shared/credit-code.ts'
import { withIdempotency } from '../../shared/idempotency.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import { Envelope, envelope } from '../envelope.ts'
import { Amount } from '../store-credits/change-credit.ts'
import { CustomerParams, creditCustomer } from '../store-credits/credit-customer.ts'

const CodeRequestBody = Type.Object({
  amount: Type.Optional(
    Type.Number({ ...Amount, meaning: 'What the code takes off; by default all available credit' })
  ),
  duration: Type.Optional(CodeDuration)
})

/** POST /store-credits/{customer_id}/codes */
export function createCreditCodeRoute(rest: Surface): void {
  rest.post(
    '/store-credits/:customer_id/codes',
    {
      config: { allow: 'write:store_credits' },
      schema: {
        operationId: 'createStoreCreditCode',
        summary: 'Create a store credit code',
        description:
          'Reserves store credit for a discount code of its amount, which only this customer can use, once. The platform makes the code a moment later: read it again until its status is `active`. What the order does not use is available again, and so is everything when its time is over. For customers whose plan has the `store_credit_type` `coupon`.',
        params: CustomerParams,
        body: CodeRequestBody,
        response: { 200: Envelope(CreditCodeBody) },
        responseExample: { status: 'pending', code: null }
      }
    },
    (request, reply) => {
      const { currency, profile } = callerOf(request)
      const { amount, duration = DEFAULT_MINUTES } = request.body
      return withIdempotency(request, reply, async (ctx) => {
        const memberId = await creditCustomer(ctx, request.params.customer_id, profile)
        const amountMinor = amount === undefined ? null : minorOf(amount, currency)
        return envelope(
          presentCreditCode(await requestCode(ctx, { memberId, amountMinor, minutes: duration }), currency)
        )
      })
    }
  )
}
