import { Type } from 'typebox'
import { internalId } from '#kit/ids'
import { BillingAttemptBody } from '#resources'
import { listBillingAttempts } from '#views'
import { IsoDate, instantOrUndefined } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, NOTHING, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
import { idField } from '../fields.ts'
import { presentBillingAttempt } from '../present-billing-attempt.ts'

/** GET /billing-attempts (spec 1, Endpoints). */
export function listBillingAttemptsRoute(rest: Surface, { db }: RestDeps): void {
  rest.get(
    '/billing-attempts',
    {
      config: { allow: 'read:billing' },
      schema: {
        operationId: 'listBillingAttempts',
        summary: 'List billing attempts',
        description:
          'Newest `date` first; with equal times the higher id first. The first payment of a membership is a checkout on the platform, not a billing attempt.',
        querystring: Type.Object({
          ...PagingFields,
          subscription_id: idField('a subscription id', {
            meaning: 'Attempts of this subscription',
            examples: ['sub_24']
          }),
          status: Type.Optional(
            Type.Union([Type.Literal('success'), Type.Literal('failed'), Type.Literal('pending')], {
              description: 'success, failed or pending',
              meaning: 'Attempts with this status'
            })
          ),
          date_from: IsoDate('Attempts with a `date` after this time'),
          date_to: IsoDate('Attempts with a `date` before this time')
        }),
        response: { 200: Envelope(Type.Array(BillingAttemptBody)) }
      }
    },
    async (request) => {
      const { storeId, profile, timezone } = callerOf(request)
      const { subscription_id, status, date_from, date_to } = request.query
      const paging = pagingOf(request.query)
      const subscriptionId = subscription_id === undefined ? undefined : internalId('sub', subscription_id)
      const { rows, total } =
        subscriptionId === null
          ? NOTHING
          : await listBillingAttempts(db.direct, storeId, {
              subscriptionId,
              status,
              after: instantOrUndefined(date_from, timezone),
              before: instantOrUndefined(date_to, timezone),
              ...paging
            })
      return pageEnvelope(
        rows.map((attempt) => presentBillingAttempt(attempt, profile)),
        total,
        paging
      )
    }
  )
}
