import { Type } from 'typebox'
import { CreditCodeBody } from '#resources'
import { findCode, findCodeId, isCreditCode, noSuchCode, revokeCode } from '#spending'
import { codeIdOf, presentCreditCode } from '../../shared/credit-code.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { storeOf } from '../store.ts'
import { CreditParams, creditCustomer } from '../store-credits/one-credit.ts'

const Params = Type.Object({
  ...CreditParams.properties,
  code_id: Type.String({ description: 'the id of a store credit code, or the code itself', examples: ['scc_3'] })
})

/** POST /stores/{store}/store-credits/{customer}/codes/{code_id}/revoke */
export function revokeCodeRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/store-credits/:customer/codes/:code_id/revoke',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'revokeCreditCode',
        summary: 'Revoke a store credit code',
        description:
          'Takes the code off the platform. Its credit is available again when it is known that no order has used it, a few minutes later.',
        params: Params,
        body: Type.Object({}),
        response: { 200: CreditCodeBody }
      }
    },
    async (request) => {
      const store = storeOf(request)
      const { platformProfile, currency } = store
      const { customer, code_id } = request.params
      const { memberId, id } = await request.inStore(async (ctx) => {
        const memberId = await creditCustomer(ctx, customer, platformProfile)
        const id = isCreditCode(code_id) ? await findCodeId(ctx, memberId, code_id) : codeIdOf(code_id)
        if (id === null) throw noSuchCode(code_id)
        return revokeCode(ctx, memberId, id)
      })
      await startDueWork(deps, store)
      return presentCreditCode((await request.inStore((ctx) => findCode(ctx, memberId, id)))!, currency)
    }
  )
}
