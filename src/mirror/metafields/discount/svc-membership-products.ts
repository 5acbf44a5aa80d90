import { idText, listOf, meaning, objectOf } from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** Of each tier. More would come near the 10,000 bytes of which a function is given nothing any more. */
export const MAX_MEMBERSHIP_PRODUCTS = 200

/**
 * Which products are memberships. It is ours and not in spec 3, whose plan settings name the products of the main plans only: the discount
 * function would reduce the memberships of other plans, and count their lines.
 */
export const membershipProducts = defineMetafield({
  owner: 'discount',
  key: 'svc_membership_products',
  type: 'json',
  name: 'Memberships',
  help: 'The products of all membership plans, by which the discount function knows a membership in the cart.',
  field: objectOf({
    vip: meaning('Numbers of the products of VIP plans', listOf(idText(), MAX_MEMBERSHIP_PRODUCTS)),
    elite: meaning('Numbers of the products of Elite plans', listOf(idText(), MAX_MEMBERSHIP_PRODUCTS))
  })
})
