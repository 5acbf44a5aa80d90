import { Type } from 'typebox'
import { CreditCodeBody } from '#resources'
import { listCodes } from '#spending'
import { presentCreditCode } from '../../shared/credit-code.ts'
import type { Surface } from '../../shared/surface.ts'
import { storeOf } from '../store.ts'
import { CreditParams, creditCustomer } from '../store-credits/one-credit.ts'

/** The latest codes are shown. */
const MOST = 100

/** GET /stores/{store}/store-credits/{customer}/codes */
export function listCodesRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/store-credits/:customer/codes',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listCreditCodes',
        summary: 'List store credit codes',
        description: `The latest ${MOST} store credit codes of a customer, newest first.`,
        params: CreditParams,
        response: {
          200: Type.Object(
            { data: Type.Array(CreditCodeBody, { description: 'The codes' }) },
            { title: 'StoreCreditCodes', description: 'Store credit codes of a customer.' }
          )
        }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const { platformProfile, currency } = storeOf(request)
        const memberId = await creditCustomer(ctx, request.params.customer, platformProfile)
        const { rows } = await listCodes(ctx, memberId, { limit: MOST, offset: 0 })
        return { data: rows.map((code) => presentCreditCode(code, currency)) }
      })
  )
}
