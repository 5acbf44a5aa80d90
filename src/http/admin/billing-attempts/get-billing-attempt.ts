import type { Surface } from '../../shared/surface.ts'
import { AttemptParams, attemptIdOf, readAttempt } from './one-attempt.ts'
import { BillingAttemptBody } from './present-billing-attempt.ts'

/** GET /stores/{store}/billing-attempts/{attempt} */
export function getBillingAttemptRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/billing-attempts/:attempt',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getBillingAttempt',
        summary: 'Get a billing attempt',
        description: 'One try to charge a cycle.',
        params: AttemptParams,
        response: { 200: BillingAttemptBody }
      }
    },
    (request) => request.inStore((ctx) => readAttempt(ctx, attemptIdOf(request.params)))
  )
}
