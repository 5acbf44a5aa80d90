import { Type } from 'typebox'
import { internalId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { parseCustomerId } from '#members'
import { SubscriptionBody } from '#resources'
import { findSubscription, listSubscriptions } from '#views'
import { IsoDate, instantOrUndefined } from '../shared/dates.ts'
import type { Surface } from '../shared/surface.ts'
import { callerOf } from './caller.ts'
import { Envelope, envelope, NOTHING, PagingFields, pageEnvelope, pagingOf } from './envelope.ts'
import { idField, StatusFilter } from './fields.ts'
import { presentSubscription } from './present-subscription.ts'

/** Spec 1, Endpoints: /subscriptions. */
export function registerSubscriptions(rest: Surface, db: Database): void {
  rest.get(
    '/subscriptions',
    {
      config: { scope: 'read:subscriptions' },
      schema: {
        operationId: 'listSubscriptions',
        summary: 'List subscriptions',
        description: 'Newest `created_at` first; among equals the higher id.',
        querystring: Type.Object({
          ...PagingFields,
          status: StatusFilter({ meaning: 'Subscriptions with this status' }),
          plan_id: idField('a plan id', { meaning: 'Subscriptions to this plan', examples: ['plan_1'] }),
          customer_id: idField("a customer id, the platform's number or its global id", {
            meaning: 'Subscriptions of this customer',
            examples: ['cust_24']
          }),
          created_after: IsoDate('Subscriptions whose `created_at` is after this'),
          created_before: IsoDate('Subscriptions whose `created_at` is before this')
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

  rest.get(
    '/subscriptions/:subscription_id',
    {
      config: { scope: 'read:subscriptions' },
      schema: {
        operationId: 'getSubscription',
        summary: 'Read a subscription',
        description: 'One subscription by id.',
        params: Type.Object({
          subscription_id: Type.String({ description: 'a subscription id', examples: ['sub_24'] })
        }),
        response: { 200: Envelope(SubscriptionBody) }
      }
    },
    async (request) => {
      const { storeId, profile } = callerOf(request)
      const id = internalId('sub', request.params.subscription_id)
      const subscription = id === null ? null : await findSubscription(db.direct, storeId, id)
      if (!subscription)
        throw new Refusal('not_found', `There is no subscription ${request.params.subscription_id.slice(0, 100)}`)
      return envelope(presentSubscription(subscription, profile))
    }
  )
}
