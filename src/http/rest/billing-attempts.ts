import { Type } from 'typebox'
import { internalId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import { BillingAttemptBody } from '#resources'
import { listBillingAttempts } from '#views'
import { IsoDate, instantOrUndefined } from '../shared/dates.ts'
import type { Surface } from '../shared/surface.ts'
import { callerOf } from './caller.ts'
import { Envelope, NOTHING, PagingFields, pageEnvelope, pagingOf } from './envelope.ts'
import { idField } from './fields.ts'
import { presentBillingAttempt } from './present-billing-attempt.ts'

/** Spec 1, Endpoints: /billing-attempts. */
export function registerBillingAttempts(rest: Surface, db: Database): void {
  rest.get(
    '/billing-attempts',
    {
      config: { scope: 'read:billing' },
      schema: {
        operationId: 'listBillingAttempts',
        summary: 'List billing attempts',
        description:
          'Newest `date` first; among equals the higher id. The first payment of a membership is a checkout on the platform and no attempt.',
        querystring: Type.Object({
          ...PagingFields,
          subscription_id: idField('a subscription id', {
            meaning: 'Attempts to charge this subscription',
            examples: ['sub_24']
          }),
          status: Type.Optional(
            Type.Union([Type.Literal('success'), Type.Literal('failed'), Type.Literal('pending')], {
              description: 'success, failed or pending',
              meaning: 'Attempts with this status'
            })
          ),
          date_from: IsoDate('Attempts whose `date` is after this'),
          date_to: IsoDate('Attempts whose `date` is before this')
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
