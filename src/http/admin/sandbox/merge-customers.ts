import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { platformNumber } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const Merged = Type.Object(
  {
    deleted: Type.String({ description: "The platform's number of the customer who is deleted" }),
    kept: Type.String({ description: "The platform's number of the customer who stays" })
  },
  {
    title: 'SandboxMerge',
    description: 'Two customers who are one now.',
    examples: [{ deleted: '7064055069370', kept: '7064055069371' }]
  }
)

/** POST /stores/{store}/sandbox/merges */
export function mergeCustomersRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/merges',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'mergeSandboxCustomers',
        summary: 'Merge two customers',
        description: 'Merges one customer into another in the sandbox shop.',
        params: StoreParams,
        body: Type.Object({
          customer: platformNumber('the customer who goes'),
          into: platformNumber('the customer who stays')
        }),
        response: { 200: Merged }
      }
    },
    async (request) => {
      const { customer, into } = request.body
      const { deletedId, keptId } = await play(deps, request, ({ storeId }) =>
        deps.sandbox.mergeCustomers(storeId, { customerId: customer, intoId: into })
      )
      return { deleted: deletedId, kept: keptId }
    }
  )
}
