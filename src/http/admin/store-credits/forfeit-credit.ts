import { Type } from 'typebox'
import { forfeitCredit } from '#credits'
import type { Surface } from '../../shared/surface.ts'
import { operationOfRequest, Reason } from './credit-fields.ts'
import { CreditParams, creditAfter } from './one-credit.ts'
import { CreditAccountBody } from './present-credit.ts'

const Body = Type.Object({ reason: Reason('The account was closed') })

/** POST /stores/{store}/store-credits/{customer}/forfeit */
export function forfeitCreditRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/store-credits/:customer/forfeit',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'forfeitCredit',
        summary: 'Forfeit store credit',
        description:
          'Takes all available credit: an entry of type `forfeit`. What is reserved for a checkout is the `shortfall` of the entry, and is taken when the checkout gives it back. Nothing happens without credit.',
        params: CreditParams,
        body: Body,
        response: { 200: CreditAccountBody }
      }
    },
    (request) => {
      const { reason } = request.body
      return creditAfter(request, async (ctx, memberId) => {
        const [entry] = await forfeitCredit(ctx, [{ memberId, reason, operationId: operationOfRequest() }])
        return entry ?? null
      })
    }
  )
}
