import { Type } from 'typebox'
import { retryAttempt } from '#billing'
import type { Surface } from '../../shared/surface.ts'
import { actorOf } from '../caller.ts'
import { AttemptParams, attemptIdOf, readAttempt } from './one-attempt.ts'
import { BillingAttemptBody } from './present-billing-attempt.ts'

/** POST /stores/{store}/billing-attempts/{attempt}/retry: as `POST /billing-attempts/{id}/retry` of the API. */
export function retryBillingAttemptRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/billing-attempts/:attempt/retry',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'retryBillingAttempt',
        summary: 'Retry a billing attempt',
        description:
          'Charges the same cycle again, now, with a new attempt, which is `pending` until the platform reports its outcome. Only for a failed attempt of a contract that has not ended, whose cycle is unpaid and was not missed. The number of scheduled retries does not change.',
        params: AttemptParams,
        body: Type.Object({}),
        response: { 200: BillingAttemptBody }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const opened = await retryAttempt(ctx, attemptIdOf(request.params), actorOf(request))
        return readAttempt(ctx, opened.id)
      })
  )
}
