import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { amount, platformNumber } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { amountFrom, play } from './sandbox-store.ts'

const Refunded = Type.Object(
  { id: Type.String({ description: "The platform's number of the refund" }) },
  { title: 'SandboxRefund', description: 'A refund of the sandbox shop.', examples: [{ id: '14' }] }
)

/** POST /stores/{store}/sandbox/refunds */
export function refundOrderRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/refunds',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'refundSandboxOrder',
        summary: 'Refund an order',
        description: 'Refunds an amount, or the whole order without one.',
        params: StoreParams,
        body: Type.Object({
          order: platformNumber('the order'),
          amount: Type.Optional(amount({ meaning: 'How much; the whole order without it', examples: ['5.50'] }))
        }),
        response: { 201: Refunded }
      }
    },
    async (request, reply) => {
      const { order, amount: given } = request.body
      const { id } = await play(deps, request, ({ storeId, currency }) => {
        const amountMinor = given === undefined ? null : amountFrom('amount', given, currency)
        return deps.sandbox.refund(storeId, { orderId: order, amountMinor })
      })
      return reply.code(201).send({ id })
    }
  )
}
