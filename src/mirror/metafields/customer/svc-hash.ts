import { textLike } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** An identifier of the customer that says nothing of them (spec 3, svc_hash). It opens nothing. */
export const customerHash = defineMetafield({
  owner: 'customer',
  key: 'svc_hash',
  type: 'single_line_text_field',
  name: 'Hash of the customer',
  help: 'An identifier of the customer, as 64 hexadecimal digits. It is no credential.',
  field: textLike('64 hexadecimal digits', /^[0-9a-f]{64}$/)
})
