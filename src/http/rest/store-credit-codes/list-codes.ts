import { Type } from 'typebox'
import { CreditCodeBody } from '#resources'
import { listCodes } from '#spending'
import { presentCreditCode } from '../../shared/credit-code.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import { Envelope, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
import { CustomerParams, creditCustomer } from '../store-credits/credit-customer.ts'

/** GET /store-credits/{customer_id}/codes */
export function listCreditCodesRoute(rest: Surface): void {
  rest.get(
    '/store-credits/:customer_id/codes',
    {
      config: { allow: 'read:store_credits' },
      schema: {
        operationId: 'listStoreCreditCodes',
        summary: 'List store credit codes',
        description: 'The store credit codes of a customer, newest first.',
        params: CustomerParams,
        querystring: Type.Object(PagingFields),
        response: { 200: Envelope(Type.Array(CreditCodeBody)) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const { profile, currency } = callerOf(request)
        const paging = pagingOf(request.query)
        const memberId = await creditCustomer(ctx, request.params.customer_id, profile)
        const { rows, total } = await listCodes(ctx, memberId, paging)
        return pageEnvelope(
          rows.map((code) => presentCreditCode(code, currency)),
          total,
          paging
        )
      })
  )
}
