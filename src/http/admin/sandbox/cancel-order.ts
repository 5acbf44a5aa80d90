import { Type } from 'typebox'
import { CANCEL_REASONS, CANCEL_REFUNDS } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { oneOf, platformNumber } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const Cancelled = Type.Object(
  {
    id: Type.String({ description: "The platform's number of the order" }),
    refund: Type.Union([Type.String(), Type.Null()], {
      description: "The platform's number of its refund; null for none"
    })
  },
  {
    title: 'SandboxCancellation',
    description: 'A cancelled order of the sandbox shop.',
    examples: [{ id: '5820982912465', refund: null }]
  }
)

/** POST /stores/{store}/sandbox/cancellations */
export function cancelOrderRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/cancellations',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'cancelSandboxOrder',
        summary: 'Cancel an order',
        description: 'Cancels an order, once, and gives back what it cost if asked to.',
        params: StoreParams,
        body: Type.Object({
          order: platformNumber('the order'),
          reason: Type.Optional(
            oneOf(CANCEL_REASONS, { meaning: 'Why; `customer` without it', examples: ['customer'] })
          ),
          refund: Type.Optional(
            oneOf(CANCEL_REFUNDS, {
              meaning: 'What is given back: nothing, what store credit and gift cards have paid, or everything',
              examples: ['credit']
            })
          )
        }),
        response: { 201: Cancelled }
      }
    },
    async (request, reply) => {
      const { order, reason = 'customer', refund = 'none' } = request.body
      const { id, refundId } = await play(deps, request, ({ storeId }) =>
        deps.sandbox.cancelOrder(storeId, { orderId: order, reason, refund })
      )
      return reply.code(201).send({ id, refund: refundId })
    }
  )
}
