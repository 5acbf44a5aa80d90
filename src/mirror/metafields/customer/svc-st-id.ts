import { integer } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** The latest redemption of a customer (spec 3, svc_st_id). */
export const redemptionId = defineMetafield({
  owner: 'customer',
  key: 'svc_st_id',
  type: 'number_integer',
  name: 'Latest redemption of store credit',
  help: 'The number of the latest redemption of store credit. It does not exist where there was none.',
  field: integer(1, Number.MAX_SAFE_INTEGER)
})
