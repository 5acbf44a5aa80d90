import { Type } from 'typebox'
import { internalId } from '#kit/ids'
import { Choice, defineFilter, IdText } from './filters.ts'

/** The filters of the list of members (spec 1, Endpoints: /members). They combine. */
export const memberFilters = {
  status: defineFilter({
    schema: Choice(['active', 'paused', 'cancelled'], 'Members with this status'),
    read: (status) => status,
    by: { kind: 'facet', facet: 'status' }
  }),
  planId: defineFilter({
    schema: IdText('a plan id', { meaning: 'Members with this plan', examples: ['plan_1'] }),
    read: (id) => internalId('plan', id),
    by: { kind: 'facet', facet: 'plan' }
  }),
  email: defineFilter({
    schema: Type.String({
      minLength: 1,
      maxLength: 320,
      description: 'an e-mail address',
      meaning: 'Members with exactly this address, upper or lower case',
      examples: ['hanna.ito@example.com']
    }),
    read: (email) => email,
    by: {
      kind: 'key',
      types: ['text'],
      condition: (email) => `lower(email) = lower(${email})`,
      values: (email) => [email]
    }
  })
}
