import { Type } from 'typebox'
import { CreditCodeBody } from '#resources'
import { revokeCode } from '#spending'
import { codeIdOf, presentCreditCode } from '../../shared/credit-code.ts'
import { withIdempotency } from '../../shared/idempotency.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import { Envelope, envelope } from '../envelope.ts'
import { creditCustomer } from '../store-credits/credit-customer.ts'
import { CodeParams } from './one-code.ts'

/** POST /store-credits/{customer_id}/codes/{code_id}/revoke */
export function revokeCreditCodeRoute(rest: Surface): void {
  rest.post(
    '/store-credits/:customer_id/codes/:code_id/revoke',
    {
      config: { allow: 'write:store_credits' },
      schema: {
        operationId: 'revokeStoreCreditCode',
        summary: 'Revoke a store credit code',
        description:
          'Takes the code off the platform. Its credit is available again when it is known that no order has used it, a few minutes later. Until then the status is `ending`.',
        params: CodeParams,
        body: Type.Object({}),
        response: { 200: Envelope(CreditCodeBody) },
        responseExample: { status: 'ending', ended_by: 'revoked' }
      }
    },
    (request, reply) => {
      const { currency, profile } = callerOf(request)
      const { customer_id, code_id } = request.params
      return withIdempotency(request, reply, async (ctx) => {
        const memberId = await creditCustomer(ctx, customer_id, profile)
        return envelope(presentCreditCode(await revokeCode(ctx, memberId, codeIdOf(code_id)), currency))
      })
    }
  )
}
