import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { platformNumber } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const Revoked = Type.Object(
  { revoked: Type.Integer({ description: 'How many payment methods are revoked' }) },
  { title: 'SandboxRevocation', description: 'Payment methods that are revoked.', examples: [{ revoked: 1 }] }
)

/** POST /stores/{store}/sandbox/revocations */
export function revokeCardRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/revocations',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'revokeSandboxCard',
        summary: 'Revoke the cards of a customer',
        description: 'Revokes the payment methods of a customer in the sandbox shop.',
        params: StoreParams,
        body: Type.Object({ customer: platformNumber('the customer') }),
        response: { 200: Revoked }
      }
    },
    (request) => play(deps, request, ({ storeId }) => deps.sandbox.revokeCard(storeId, request.body.customer))
  )
}
