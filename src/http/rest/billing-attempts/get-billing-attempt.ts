import { internalId } from '#kit/ids'
import { BillingAttemptBody } from '#resources'
import { findBillingAttempt } from '#views'
import { noSuch } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentBillingAttempt } from '../present-billing-attempt.ts'
import { AttemptParams } from './attempt-params.ts'

/** GET /billing-attempts/{attempt_id}: ours, so that what an event names can be read by itself. */
export function getBillingAttemptRoute(rest: Surface, { db }: RestDeps): void {
  rest.get(
    '/billing-attempts/:attempt_id',
    {
      config: { allow: 'read:billing' },
      schema: {
        operationId: 'getBillingAttempt',
        summary: 'Read a billing attempt',
        description: 'One billing attempt by id.',
        params: AttemptParams,
        response: { 200: Envelope(BillingAttemptBody) }
      }
    },
    async (request) => {
      const { storeId, profile } = callerOf(request)
      const id = internalId('ba', request.params.attempt_id)
      const attempt = id === null ? null : await findBillingAttempt(db.direct, storeId, id)
      if (!attempt) throw noSuch('ba', request.params.attempt_id)
      return envelope(presentBillingAttempt(attempt, profile))
    }
  )
}
