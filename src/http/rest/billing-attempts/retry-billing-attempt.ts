import { Type } from 'typebox'
import { retryAttempt } from '#billing'
import { BillingAttemptBody } from '#resources'
import { findBillingAttempt } from '#views'
import { withIdempotency } from '../../shared/idempotency.ts'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { actorOf, callerOf } from '../caller.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentBillingAttempt } from '../present-billing-attempt.ts'
import { AttemptParams } from './attempt-params.ts'

/** POST /billing-attempts/{attempt_id}/retry (spec 1, Endpoints). Answers with the new attempt, which is pending. */
export function retryBillingAttemptRoute(rest: Surface): void {
  rest.post(
    '/billing-attempts/:attempt_id/retry',
    {
      config: { allow: 'write:billing' },
      schema: {
        operationId: 'retryBillingAttempt',
        summary: 'Retry a billing attempt',
        description:
          'Charges the same cycle again, now, with a new attempt. Returns the new attempt, which is `pending` until the platform reports its outcome. Only for a failed attempt of a contract that has not ended, whose cycle is unpaid and was not missed. The number of scheduled retries does not change.',
        params: AttemptParams,
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
      const id = idInPath('ba', request.params.attempt_id)
      return withIdempotency(request, reply, async (ctx) => {
        const opened = await retryAttempt(ctx, id, actorOf(caller))
        const attempt = await findBillingAttempt(ctx.tx, ctx.storeId, opened.id)
        if (!attempt) throw new Error(`The billing attempt ${opened.id} that was just opened is gone`)
        return envelope(presentBillingAttempt(attempt, caller.profile))
      })
    }
  )
}
