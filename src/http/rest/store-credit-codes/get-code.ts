import { CreditCodeBody } from '#resources'
import { findCode, noSuchCode } from '#spending'
import { codeIdOf, presentCreditCode } from '../../shared/credit-code.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import { Envelope, envelope } from '../envelope.ts'
import { creditCustomer } from '../store-credits/credit-customer.ts'
import { CodeParams } from './one-code.ts'

/** GET /store-credits/{customer_id}/codes/{code_id} */
export function getCreditCodeRoute(rest: Surface): void {
  rest.get(
    '/store-credits/:customer_id/codes/:code_id',
    {
      config: { allow: 'read:store_credits' },
      schema: {
        operationId: 'getStoreCreditCode',
        summary: 'Read a store credit code',
        description: 'The code as it is now; the code itself is there when its status is `active`.',
        params: CodeParams,
        response: { 200: Envelope(CreditCodeBody) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const { currency, profile } = callerOf(request)
        const { customer_id, code_id } = request.params
        const memberId = await creditCustomer(ctx, customer_id, profile)
        const code = await findCode(ctx, memberId, codeIdOf(code_id))
        if (!code) throw noSuchCode(code_id)
        return envelope(presentCreditCode(code, currency))
      })
  )
}
