import { flag } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** Whether the service maintains the store (spec 3, general). */
export const general = defineMetafield({
  owner: 'shop',
  key: 'general',
  type: 'number_integer',
  name: 'Membership service',
  help: 'Whether the service maintains the store: 1 from the connection on, 0 once an operator has disconnected or deleted it.',
  field: flag()
})
