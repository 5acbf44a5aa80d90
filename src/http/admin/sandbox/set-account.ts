import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { oneOf, platformNumber } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const AccountSet = Type.Object(
  {
    customer: Type.String({ description: "The platform's number of the customer" }),
    state: Type.String({ description: 'How the account is' })
  },
  {
    title: 'SandboxAccount',
    description: 'The account of a customer in the shop.',
    examples: [{ customer: '7064055069370', state: 'enabled' }]
  }
)

/** POST /stores/{store}/sandbox/accounts */
export function setAccountRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/accounts',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'setSandboxAccount',
        summary: 'Change the account of a customer',
        description:
          'The customer activates their account (`enabled`) or declines it, or the staff invites them or disables it.',
        params: StoreParams,
        body: Type.Object({
          customer: platformNumber('the customer'),
          state: oneOf(['enabled', 'disabled', 'invited', 'declined'], { examples: ['enabled'] })
        }),
        response: { 200: AccountSet }
      }
    },
    async (request) => {
      const { customer, state } = request.body
      await play(deps, request, ({ storeId }) => deps.sandbox.setAccount(storeId, { customerId: customer, state }))
      return { customer, state }
    }
  )
}
