import { internalId } from '#kit/ids'
import { IsoDateText, instantOf } from '#kit/iso-date'
import { Choice, defineFilter, IdText } from './filters.ts'

/** The filters of the list of billing attempts (spec 1, Endpoints: /billing-attempts). They combine. */
export const billingAttemptFilters = {
  subscriptionId: defineFilter({
    schema: IdText('a subscription id', { meaning: 'Attempts of this subscription', examples: ['sub_24'] }),
    read: (id) => internalId('sub', id),
    by: {
      kind: 'key',
      types: ['bigint'],
      condition: (subscriptionId) => `subscription_id = ${subscriptionId}`,
      values: (subscriptionId) => [subscriptionId]
    }
  }),
  status: defineFilter({
    schema: Choice(['success', 'failed', 'pending'], 'Attempts with this status'),
    read: (status) => status,
    by: { kind: 'facet', facet: 'status' }
  }),
  dateFrom: defineFilter({
    schema: IsoDateText('Attempts with a `date` after this time'),
    read: (date, { timezone }) => instantOf(date, timezone),
    by: { kind: 'bound', bound: 'after' }
  }),
  dateTo: defineFilter({
    schema: IsoDateText('Attempts with a `date` before this time'),
    read: (date, { timezone }) => instantOf(date, timezone),
    by: { kind: 'bound', bound: 'before' }
  })
}
