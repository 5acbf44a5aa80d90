import { Type } from 'typebox'
import { internalId } from '#kit/ids'
import { parseCustomerId } from '#members'
import { SubscriptionBody } from '#resources'
import { listSubscriptions } from '#views'
import { IsoDate, instantOrUndefined } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, NOTHING, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
import { idField, StatusFilter } from '../fields.ts'
import { presentSubscription } from '../present-subscription.ts'

/** GET /subscriptions (spec 1, Endpoints). */
export function listSubscriptionsRoute(rest: Surface, { db }: RestDeps): void {
  rest.get(
    '/subscriptions',
    {
      config: { allow: 'read:subscriptions' },
      schema: {
        operationId: 'listSubscriptions',
        summary: 'List subscriptions',
        description: 'Newest `created_at` first; with equal times the higher id first.',
        querystring: Type.Object({
          ...PagingFields,
          status: StatusFilter({ meaning: 'Subscriptions with this status' }),
          plan_id: idField('a plan id', { meaning: 'Subscriptions to this plan', examples: ['plan_1'] }),
          customer_id: idField("a customer id, the platform's number or its global id", {
            meaning: 'Subscriptions of this customer',
            examples: ['cust_24']
          }),
          created_after: IsoDate('Subscriptions created after this time'),
          created_before: IsoDate('Subscriptions created before this time')
        }),
        response: { 200: Envelope(Type.Array(SubscriptionBody)) }
      }
    },
    async (request) => {
      const { storeId, profile, timezone } = callerOf(request)
      const { status, plan_id, customer_id, created_after, created_before } = request.query
      const paging = pagingOf(request.query)
      const planId = plan_id === undefined ? undefined : internalId('plan', plan_id)
      const { rows, total } =
        planId === null
          ? NOTHING
          : await listSubscriptions(db.direct, storeId, {
              status,
              planId,
              customer: customer_id === undefined ? undefined : parseCustomerId(customer_id, profile),
              createdAfter: instantOrUndefined(created_after, timezone),
              createdBefore: instantOrUndefined(created_before, timezone),
              ...paging
            })
      return pageEnvelope(
        rows.map((subscription) => presentSubscription(subscription, profile)),
        total,
        paging
      )
    }
  )
}
