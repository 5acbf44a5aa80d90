import type { Surface } from '../../shared/surface.ts'
import { CreditParams, creditAfter } from './one-credit.ts'
import { CreditAccountBody } from './present-credit.ts'

/** GET /stores/{store}/store-credits/{customer} */
export function getCreditRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/store-credits/:customer',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getCredit',
        summary: "Read a customer's store credit",
        description: 'The balance, the running totals, and the latest entries.',
        params: CreditParams,
        response: { 200: CreditAccountBody }
      }
    },
    (request) => creditAfter(request)
  )
}
