import { Type } from 'typebox'
import { reconcileCredit } from '#credits'
import type { Surface } from '../../shared/surface.ts'
import { storeOf } from '../store.ts'
import { creditAmount, minorFrom, operationOfRequest, Reason } from './credit-fields.ts'
import { CreditParams, creditAfter } from './one-credit.ts'
import { CreditAccountBody } from './present-credit.ts'

const Body = Type.Object({
  balance: creditAmount(0, { meaning: 'What the customer really has', examples: ['15.00'] }),
  reason: Reason('Counted again')
})

/** POST /stores/{store}/store-credits/{customer}/reconcile */
export function reconcileCreditRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/store-credits/:customer/reconcile',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'reconcileCredit',
        summary: 'Reconcile store credit',
        description:
          'Sets the balance that is right, by an entry of type `reconciled` of the difference. Credit past its date does not count. A balance below what is reserved is refused. Nothing happens where the balance is right already.',
        params: CreditParams,
        body: Body,
        response: { 200: CreditAccountBody }
      }
    },
    (request) => {
      const { currency } = storeOf(request)
      const { balance, reason } = request.body
      const balanceMinor = minorFrom('balance', balance, currency, 0)
      return creditAfter(request, async (ctx, memberId) => {
        const operationId = operationOfRequest()
        return (await reconcileCredit(ctx, { memberId, balanceMinor, reason, operationId })).entry
      })
    }
  )
}
