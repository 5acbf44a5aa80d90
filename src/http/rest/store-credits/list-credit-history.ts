import { Type } from 'typebox'
import { listCreditEntries } from '#credits'
import { CreditEntryBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import { Envelope, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
import { presentCreditEntry } from '../present-credit.ts'
import { CustomerParams, creditCustomer } from './credit-customer.ts'

/** GET /store-credits/{customer_id}/history (spec 1, Endpoints). */
export function listCreditHistoryRoute(rest: Surface): void {
  rest.get(
    '/store-credits/:customer_id/history',
    {
      config: { allow: 'read:store_credits' },
      schema: {
        operationId: 'listStoreCreditHistory',
        summary: 'List the history of store credit',
        description: 'Every entry of the ledger, newest first. The sum of all entries is the balance.',
        params: CustomerParams,
        querystring: Type.Object(PagingFields),
        response: { 200: Envelope(Type.Array(CreditEntryBody)) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const { profile, currency } = callerOf(request)
        const paging = pagingOf(request.query)
        const memberId = await creditCustomer(ctx, request.params.customer_id, profile)
        const { rows, total } = await listCreditEntries(ctx, memberId, paging)
        return pageEnvelope(
          rows.map((entry) => presentCreditEntry(entry, currency)),
          total,
          paging
        )
      })
  )
}
