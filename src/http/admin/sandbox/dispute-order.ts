import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { oneOf, platformNumber } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const Disputed = Type.Object(
  { id: Type.String({ description: "The platform's number of the dispute" }) },
  { title: 'SandboxDispute', description: 'A dispute of the sandbox shop.', examples: [{ id: '15' }] }
)

/** POST /stores/{store}/sandbox/disputes */
export function disputeOrderRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/disputes',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'disputeSandboxOrder',
        summary: 'Dispute an order',
        description: 'Opens a dispute over an order, or decides it.',
        params: StoreParams,
        body: Type.Object({
          order: platformNumber('the order'),
          outcome: oneOf(['open', 'won', 'lost'], { meaning: 'What becomes of it', examples: ['open'] })
        }),
        response: { 201: Disputed }
      }
    },
    async (request, reply) => {
      const { order, outcome } = request.body
      const { id } = await play(deps, request, ({ storeId }) =>
        deps.sandbox.dispute(storeId, { orderId: order, outcome })
      )
      return reply.code(201).send({ id })
    }
  )
}
