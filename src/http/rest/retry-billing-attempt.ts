import { Type } from 'typebox'
import { retryAttempt } from '#billing'
import { internalId } from '#kit/ids'
import { Refusal } from '#kit/refusal'
import { findBillingAttempt } from '#reports'
import type { Surface } from '../surface.ts'
import { callerOf } from './caller.ts'
import { Envelope, envelope } from './envelope.ts'
import { answerOnce } from './idempotency.ts'
import { BillingAttemptBody, presentBillingAttempt } from './present-billing-attempt.ts'

/** Spec 1, Endpoints: manual retry. The answer is the new attempt, which is pending. */
export function registerRetryBillingAttempt(rest: Surface): void {
  rest.post(
    '/billing-attempts/:id/retry',
    {
      config: { scope: 'write:billing' },
      schema: {
        params: Type.Object({ id: Type.String({ description: 'a billing attempt id' }) }),
        body: Type.Object({}),
        response: { 200: Envelope(BillingAttemptBody) }
      }
    },
    (request, reply) => {
      const { profile } = callerOf(request)
      const id = internalId('ba', request.params.id)
      if (id === null) throw new Refusal('not_found', `There is no billing attempt ${request.params.id.slice(0, 100)}`)
      return answerOnce(request, reply, async (ctx) => {
        const opened = await retryAttempt(ctx, id)
        const attempt = await findBillingAttempt(ctx.tx, ctx.storeId, opened.id)
        if (!attempt) throw new Error(`The billing attempt ${opened.id} that was just opened is gone`)
        return envelope(presentBillingAttempt(attempt, profile))
      })
    }
  )
}
