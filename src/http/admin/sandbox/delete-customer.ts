import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { platformNumber } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const Deleted = Type.Object(
  { deleted: Type.String({ description: "The platform's number of the customer" }) },
  { title: 'SandboxDeletion', description: 'A customer who is deleted.', examples: [{ deleted: '7064055069370' }] }
)

/** POST /stores/{store}/sandbox/deletions */
export function deleteCustomerRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/deletions',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'deleteSandboxCustomer',
        summary: 'Delete a customer',
        description: 'Deletes a customer in the sandbox shop.',
        params: StoreParams,
        body: Type.Object({ customer: platformNumber('the customer') }),
        response: { 200: Deleted }
      }
    },
    async (request) => {
      const { id } = await play(deps, request, ({ storeId }) =>
        deps.sandbox.deleteCustomer(storeId, request.body.customer)
      )
      return { deleted: id }
    }
  )
}
