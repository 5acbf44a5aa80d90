import { Type } from 'typebox'
import { EVENT_TYPES } from '#webhooks'
import type { FieldText } from './fields.ts'

/** Event types in a request. */
export const eventTypes = ({ examples = [['billing.failed']], ...more }: FieldText) =>
  Type.Array(Type.String({ maxLength: 50 }), {
    maxItems: 50,
    description: `a list of ${EVENT_TYPES.join(', ')}`,
    examples,
    ...more
  })

/** One event type in a request. */
export const eventType = () =>
  Type.String({
    minLength: 1,
    maxLength: 50,
    description: `one of ${EVENT_TYPES.join(', ')}`,
    examples: ['billing.success']
  })
