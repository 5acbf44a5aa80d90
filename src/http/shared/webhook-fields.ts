import { Type } from 'typebox'
import { EVENT_TYPES } from '#webhooks'

// Fields of requests about webhook endpoints: the direct API and the admin API accept the same.

export const endpointUrl = () =>
  Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'the https address of the receiver, of at most 2,048 characters',
    examples: ['https://example.com/hooks']
  })

export const endpointDescription = () =>
  Type.String({
    maxLength: 500,
    description: 'a text of at most 500 characters',
    meaning: 'What lists say about it',
    examples: ['CRM']
  })

/** Event types, for a new endpoint. */
export const eventTypes = ({ meaning, examples = [['billing.failed']] }: { meaning?: string; examples?: unknown[] }) =>
  Type.Array(Type.String({ maxLength: 50 }), {
    maxItems: 50,
    description: `a list of ${EVENT_TYPES.join(', ')}`,
    examples,
    ...(meaning && { meaning })
  })

/** Event types for an endpoint that has some. */
export const changedEventTypes = () =>
  Type.Union([eventTypes({}), Type.Null()], {
    description: `a list of ${EVENT_TYPES.join(', ')}; or null for all, those to come included`,
    meaning: 'What it receives',
    examples: [['billing.failed']]
  })

/** One event type. */
export const eventType = (meaning?: string) =>
  Type.String({
    minLength: 1,
    maxLength: 50,
    description: `one of ${EVENT_TYPES.join(', ')}`,
    ...(meaning && { meaning }),
    examples: ['billing.success']
  })

/** Why an endpoint is disabled. */
export const disabledReason = () =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'a text of 1 to 200 characters',
    meaning: 'Why, for lists',
    examples: ['Moving to another host']
  })

/** For how long the old secret signs too. */
export const rollOverlap = () =>
  Type.Integer({
    minimum: 0,
    maximum: 168,
    description: 'a whole number of hours from 0 to 168 for which the old secret signs too (default: 24)',
    examples: [24]
  })
