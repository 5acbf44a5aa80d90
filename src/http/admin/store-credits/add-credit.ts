import { Type } from 'typebox'
import { changeCredits } from '#credits'
import { IsoDate, instantOrUndefined } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { storeOf } from '../store.ts'
import { creditAmount, minorFrom, operationOfRequest, Reason } from './credit-fields.ts'
import { CreditParams, creditAfter } from './one-credit.ts'
import { CreditAccountBody } from './present-credit.ts'

const Body = Type.Object({
  amount: creditAmount(1, { meaning: 'How much is added', examples: ['5.00'] }),
  reason: Reason('Sorry for the late parcel'),
  expires_at: IsoDate('When the unused part expires; without it the credit does not expire', '2030-01-31')
})

/** POST /stores/{store}/store-credits/{customer}/add */
export function addCreditRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/store-credits/:customer/add',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'addCredit',
        summary: 'Add store credit',
        description: 'By hand: an entry of type `manual_add`.',
        params: CreditParams,
        body: Body,
        response: { 200: CreditAccountBody }
      }
    },
    (request) => {
      const { currency, timezone } = storeOf(request)
      const { amount, reason, expires_at } = request.body
      const amountMinor = minorFrom('amount', amount, currency, 1)
      const expiresAt = instantOrUndefined(expires_at, timezone) ?? null
      const change = { type: 'manual_add' as const, amountMinor, reason, operationId: operationOfRequest(), expiresAt }
      return creditAfter(request, async (ctx, memberId) => {
        const [outcome] = await changeCredits(ctx, [{ ...change, memberId }])
        if (outcome!.refusal) throw outcome!.refusal
        return outcome!.entry
      })
    }
  )
}
