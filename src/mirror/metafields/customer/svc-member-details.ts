import { dateText, integer, meaning, objectOf, orEmpty } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** Points and birth date of a customer (spec 3, svc_member_details). */
export const memberDetails = defineMetafield({
  owner: 'customer',
  key: 'svc_member_details',
  type: 'json',
  name: 'Points and birth date',
  help: 'The balance of loyalty points, and the birth date.',
  field: objectOf({
    loyalty_points: meaning('The balance of points', integer(-1_000_000_000_000, 1_000_000_000_000)),
    birth_date: meaning('The birth date; "" where it is not known', orEmpty(dateText()))
  })
})
