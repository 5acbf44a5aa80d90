import { Type } from 'typebox'
import { changeCredits } from '#credits'
import type { Surface } from '../../shared/surface.ts'
import { storeOf } from '../store.ts'
import { creditAmount, minorFrom, operationOfRequest, Reason } from './credit-fields.ts'
import { CreditParams, creditAfter } from './one-credit.ts'
import { CreditAccountBody } from './present-credit.ts'

const Body = Type.Object({
  amount: creditAmount(1, { meaning: 'How much is deducted', examples: ['5.00'] }),
  reason: Reason('Corrected: the parcel came in time')
})

/** POST /stores/{store}/store-credits/{customer}/deduct */
export function deductCreditRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/store-credits/:customer/deduct',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'deductCredit',
        summary: 'Deduct store credit',
        description: 'By hand: an entry of type `manual_deduct`. More than is available is refused.',
        params: CreditParams,
        body: Body,
        response: { 200: CreditAccountBody }
      }
    },
    (request) => {
      const { currency } = storeOf(request)
      const { amount, reason } = request.body
      const amountMinor = -minorFrom('amount', amount, currency, 1)
      const change = { type: 'manual_deduct' as const, amountMinor, reason, operationId: operationOfRequest() }
      return creditAfter(request, async (ctx, memberId) => {
        const [outcome] = await changeCredits(ctx, [{ ...change, memberId }])
        if (outcome!.refusal) throw outcome!.refusal
        return outcome!.entry
      })
    }
  )
}
