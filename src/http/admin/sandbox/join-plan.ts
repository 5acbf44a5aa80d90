import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { platformNumber, text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const Joined = Type.Object(
  {
    order_id: Type.String({ description: "The platform's number of the order" }),
    contract_id: Type.String({ description: "The platform's number of the contract" })
  },
  {
    title: 'SandboxJoin',
    description: 'What a checkout made.',
    examples: [{ order_id: '5820982912465', contract_id: '9264106591' }]
  }
)

/** POST /stores/{store}/sandbox/joins */
export function joinPlanRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/joins',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'joinSandboxPlan',
        summary: 'Join a plan',
        description: 'The customer checks out with a plan: an order, a contract and a subscription.',
        params: StoreParams,
        body: Type.Object({
          customer: platformNumber('the customer'),
          plan: text(100, 'the name of a plan', { examples: ['VIP'] })
        }),
        response: { 201: Joined }
      }
    },
    async (request, reply) => {
      const { customer, plan } = request.body
      const { orderId, contractId } = await play(deps, request, ({ storeId }) =>
        deps.sandbox.join(storeId, { customerId: customer, planName: plan })
      )
      return reply.code(201).send({ order_id: orderId, contract_id: contractId })
    }
  )
}
