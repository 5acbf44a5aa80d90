import { decimalNumber } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** What a customer can spend of store credit (spec 3, svc_st). */
export const storeCredit = defineMetafield({
  owner: 'customer',
  key: 'svc_st',
  type: 'number_decimal',
  name: 'Store credit',
  help: 'The store credit that the customer can spend, in the currency of the shop: without what is reserved or has lapsed.',
  field: decimalNumber()
})
