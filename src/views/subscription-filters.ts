import { internalId } from '#kit/ids'
import { IsoDateText, instantOf } from '#kit/iso-date'
import { type CustomerIdReference, parseCustomerId } from '#members'
import { Choice, defineFilter, IdText } from './filters.ts'

/** The filters of the list of subscriptions (spec 1, Endpoints: /subscriptions). They combine. */
export const subscriptionFilters = {
  /** As shown: cancelled includes failed and expired. */
  status: defineFilter({
    schema: Choice(['active', 'paused', 'cancelled'], 'Subscriptions with this status'),
    read: (status) => status,
    by: { kind: 'facet', facet: 'status' }
  }),
  planId: defineFilter({
    schema: IdText('a plan id', { meaning: 'Subscriptions to this plan', examples: ['plan_1'] }),
    read: (id) => internalId('plan', id),
    by: { kind: 'facet', facet: 'plan' }
  }),
  customerId: defineFilter({
    schema: IdText("a customer id, the platform's number or its global id", {
      meaning: 'Subscriptions of this customer',
      examples: ['cust_24']
    }),
    read(id, { profile }): CustomerIdReference | null {
      const customer = parseCustomerId(id, profile)
      return customer.memberId === null && customer.platformId === null ? null : customer
    },
    by: {
      kind: 'key',
      types: ['bigint', 'text'],
      condition: (memberId, platformId) =>
        `member_id = (select id from members where store_id = $1 and id = ${memberId}
                      union all
                      select id from members where store_id = $1 and platform_customer_id = ${platformId})`,
      values: ({ memberId, platformId }) => [memberId, platformId]
    }
  }),
  createdAfter: defineFilter({
    schema: IsoDateText('Subscriptions created after this time'),
    read: (date, { timezone }) => instantOf(date, timezone),
    by: { kind: 'bound', bound: 'after' }
  }),
  createdBefore: defineFilter({
    schema: IsoDateText('Subscriptions created before this time'),
    read: (date, { timezone }) => instantOf(date, timezone),
    by: { kind: 'bound', bound: 'before' }
  })
}

/** Those of operators, who see how a subscription ended: it is looked for among those that are `cancelled` to everybody else. */
export const operatorSubscriptionFilters = {
  ...subscriptionFilters,
  endedAs: defineFilter({
    schema: Choice(['failed', 'expired'], 'Subscriptions that ended in this way'),
    read: (status) => status,
    by: {
      kind: 'key',
      types: ['text'],
      condition: (status) => `(public_status = 'cancelled' and status = ${status})`,
      values: (status) => [status]
    }
  })
}
