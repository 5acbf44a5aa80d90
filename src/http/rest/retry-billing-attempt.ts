import { Type } from 'typebox'
import { retryAttempt } from '#billing'
import { internalId } from '#kit/ids'
import { Refusal } from '#kit/refusal'
import { BillingAttemptBody } from '#resources'
import { findBillingAttempt } from '#views'
import { withIdempotency } from '../shared/idempotency.ts'
import type { Surface } from '../shared/surface.ts'
import { actorOf, callerOf } from './caller.ts'
import { Envelope, envelope } from './envelope.ts'
import { presentBillingAttempt } from './present-billing-attempt.ts'

/** Spec 1, Endpoints: manual retry. The answer is the new attempt, which is pending. */
export function registerRetryBillingAttempt(rest: Surface): void {
  rest.post(
    '/billing-attempts/:attempt_id/retry',
    {
      config: { scope: 'write:billing' },
      schema: {
        operationId: 'retryBillingAttempt',
        summary: 'Retry a billing attempt',
        description:
          'Charges the same cycle once more, now, by a new attempt: that one is answered, `pending` until the platform tells its outcome. Only for a failed attempt of a live contract whose cycle is unpaid and was not passed over; the scheduled retries stay as many as they were.',
        params: Type.Object({ attempt_id: Type.String({ description: 'a billing attempt id', examples: ['ba_154'] }) }),
        body: Type.Object({}),
        response: { 200: Envelope(BillingAttemptBody) },
        responseExample: {
          id: 'ba_155',
          status: 'pending',
          date: '2026-12-16T08:00:00.000Z',
          attempt_number: 2,
          error: null,
          retry_scheduled: false,
          retry_date: null,
          created_at: '2026-12-16T08:00:00.000Z',
          completed_at: null
        }
      }
    },
    (request, reply) => {
      const caller = callerOf(request)
      const id = internalId('ba', request.params.attempt_id)
      if (id === null)
        throw new Refusal('not_found', `There is no billing attempt ${request.params.attempt_id.slice(0, 100)}`)
      return withIdempotency(request, reply, async (ctx) => {
        const opened = await retryAttempt(ctx, id, actorOf(caller))
        const attempt = await findBillingAttempt(ctx.tx, ctx.storeId, opened.id)
        if (!attempt) throw new Error(`The billing attempt ${opened.id} that was just opened is gone`)
        return envelope(presentBillingAttempt(attempt, caller.profile))
      })
    }
  )
}
