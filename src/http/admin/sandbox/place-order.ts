import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { amount, platformNumber, text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { amountFrom, play } from './sandbox-store.ts'

const OrderBody = Type.Object(
  {
    customer: platformNumber('the customer'),
    total: amount({ meaning: 'What the order costs', examples: ['40.00'] }),
    credit: Type.Optional(amount({ meaning: 'How much of it is paid with store credit', examples: ['10.00'] })),
    coupon: Type.Optional(text(100, undefined, { examples: ['SAVE'] })),
    channel: Type.Optional(text(100, undefined, { examples: ['web'] }))
  },
  { examples: [{ customer: '7064055069370', total: '40.00' }] }
)

const PlacedOrder = Type.Object(
  {
    id: Type.String({ description: "The platform's number of the order" }),
    name: Type.String({ description: 'The number that customers see' })
  },
  {
    title: 'SandboxOrder',
    description: 'An order of the sandbox shop.',
    examples: [{ id: '5820982912465', name: '#1013' }]
  }
)

/** POST /stores/{store}/sandbox/orders */
export function placeOrderRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/orders',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'placeSandboxOrder',
        summary: 'Place an order',
        description: 'The customer buys something once.',
        params: StoreParams,
        body: OrderBody,
        response: { 201: PlacedOrder }
      }
    },
    async (request, reply) => {
      const { customer, total, credit = 0, coupon = null, channel = null } = request.body
      const { id, name } = await play(deps, request, ({ storeId, currency }) =>
        deps.sandbox.placeOrder(storeId, {
          customerId: customer,
          totalMinor: amountFrom('total', total, currency),
          creditMinor: amountFrom('credit', credit, currency),
          coupon,
          channel
        })
      )
      return reply.code(201).send({ id, name })
    }
  )
}
