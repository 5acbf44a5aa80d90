import { findCredit } from '#credits'
import { CreditBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentCredit } from '../present-credit.ts'
import { CustomerParams, creditCustomer } from './credit-customer.ts'

/** GET /store-credits/{customer_id} (spec 1, Endpoints). */
export function getStoreCreditRoute(rest: Surface): void {
  rest.get(
    '/store-credits/:customer_id',
    {
      config: { allow: 'read:store_credits' },
      schema: {
        operationId: 'getStoreCredit',
        summary: "Read a customer's store credit",
        description: 'The current balance; zero for a customer who never had store credit.',
        params: CustomerParams,
        response: { 200: Envelope(CreditBody) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const { profile, currency } = callerOf(request)
        const memberId = await creditCustomer(ctx, request.params.customer_id, profile)
        return envelope(presentCredit(await findCredit(ctx, memberId), currency))
      })
  )
}
