import { Type } from 'typebox'
import { compareWithPlatform } from '#spending'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { storeOf } from '../store.ts'
import { CreditParams, creditCustomer } from './one-credit.ts'
import { comparisonExample, comparisonFields, presentComparison } from './present-comparison.ts'

const OnPlatform = Type.Object(comparisonFields, {
  title: 'CreditOnPlatform',
  description: "A customer's store credit on the platform beside that in the ledger.",
  examples: [comparisonExample]
})

/** GET /stores/{store}/store-credits/{customer}/platform */
export function getCreditOnPlatformRoute(admin: Surface, deps: AdminDeps): void {
  admin.get(
    '/stores/:store/store-credits/:customer/platform',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getCreditOnPlatform',
        summary: "Read a customer's store credit on the platform",
        description:
          'What the account and the gift card of the customer have on the platform now, and whether that is what the ledger says. It changes nothing.',
        params: CreditParams,
        response: { 200: OnPlatform }
      }
    },
    async (request) => {
      const { storeId, currency, platformProfile } = storeOf(request)
      const memberId = await request.inStore((ctx) => creditCustomer(ctx, request.params.customer, platformProfile))
      return presentComparison(await compareWithPlatform(deps, storeId, memberId), currency)
    }
  )
}
