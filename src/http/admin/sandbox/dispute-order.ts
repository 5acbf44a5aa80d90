import { Type } from 'typebox'
import { DISPUTE_STATUSES, DISPUTE_TYPES } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { oneOf, platformNumber } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const Disputed = Type.Object(
  {
    id: Type.String({ description: "The platform's number of the dispute" }),
    type: Type.String({ description: 'What it is now' }),
    status: Type.String({ description: 'Its state now' })
  },
  {
    title: 'SandboxDispute',
    description: 'A dispute of the sandbox shop.',
    examples: [{ id: '15', type: 'chargeback', status: 'needs_response' }]
  }
)

/** POST /stores/{store}/sandbox/disputes */
export function disputeOrderRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/disputes',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'disputeSandboxOrder',
        summary: 'Dispute an order',
        description:
          'Opens a dispute over what a card has paid of an order, or changes the one that it has: an inquiry may become a chargeback, and either is decided.',
        params: StoreParams,
        body: Type.Object({
          order: platformNumber('the order'),
          type: Type.Optional(
            oneOf(DISPUTE_TYPES, {
              meaning: 'A chargeback, or what it is already, without it',
              examples: ['chargeback']
            })
          ),
          status: Type.Optional(
            oneOf(DISPUTE_STATUSES, { meaning: 'What becomes of it; it needs a response at first', examples: ['lost'] })
          )
        }),
        response: { 201: Disputed }
      }
    },
    async (request, reply) => {
      const { order, type: kind = null, status: state = null } = request.body
      const { id, type, status } = await play(deps, request, ({ storeId }) =>
        deps.sandbox.dispute(storeId, { orderId: order, type: kind, status: state })
      )
      return reply.code(201).send({ id, type: type.toLowerCase(), status: status.toLowerCase() })
    }
  )
}
