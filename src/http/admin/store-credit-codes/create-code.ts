import { Type } from 'typebox'
import { CreditCodeBody } from '#resources'
import { findCode, requestCode } from '#spending'
import { CodeDuration, DEFAULT_MINUTES, presentCreditCode } from '../../shared/credit-code.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { storeOf } from '../store.ts'
import { creditAmount, minorFrom } from '../store-credits/credit-fields.ts'
import { CreditParams, creditCustomer } from '../store-credits/one-credit.ts'

const Body = Type.Object(
  {
    amount: Type.Optional(
      creditAmount(1, { meaning: 'What the code takes off; by default all available credit', examples: ['10.00'] })
    ),
    duration: Type.Optional(CodeDuration)
  },
  { examples: [{ amount: '10.00', duration: 60 }] }
)

/** POST /stores/{store}/store-credits/{customer}/codes */
export function createCodeRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/store-credits/:customer/codes',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'createCreditCode',
        summary: 'Create a store credit code',
        description:
          'Reserves store credit for a discount code that spends it, for a customer whose plan has the `store_credit_type` `coupon`. For a sandbox store the response comes when the platform has the code; for a live store a moment before.',
        params: CreditParams,
        body: Body,
        response: { 200: CreditCodeBody }
      }
    },
    async (request) => {
      const store = storeOf(request)
      const { platformProfile, currency } = store
      const { amount, duration = DEFAULT_MINUTES } = request.body
      const amountMinor = amount === undefined ? null : minorFrom('amount', amount, currency, 1)
      const { memberId, id } = await request.inStore(async (ctx) => {
        const customer = await creditCustomer(ctx, request.params.customer, platformProfile)
        return requestCode(ctx, { memberId: customer, amountMinor, minutes: duration })
      })
      await startDueWork(deps, store)
      const code = await request.inStore((ctx) => findCode(ctx, memberId, id))
      return presentCreditCode(code!, currency)
    }
  )
}
