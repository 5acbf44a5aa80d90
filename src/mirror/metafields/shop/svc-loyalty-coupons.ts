import {
  amountNumber,
  flag,
  idText,
  integer,
  listOf,
  meaning,
  objectOf,
  orNull,
  textLike,
  textOf,
  utcInstant,
  word
} from '#kit/json-fields'
import { defineMetafield } from '#platform'

/** What points can buy (spec 3, svc_loyalty_coupons): templates, not the coupons that were issued. */
export const loyaltyCoupons = defineMetafield({
  owner: 'shop',
  key: 'svc_loyalty_coupons',
  type: 'json',
  name: 'Loyalty coupons',
  help: 'What points can buy.',
  field: listOf(
    objectOf({
      id: meaning('Its id', textOf(50, 1)),
      name: meaning('Its name', textOf(255, 1)),
      type: meaning('What the coupon takes off', word('percentage', 'fixed_amount')),
      rules: objectOf({
        amount: meaning('The percentage or the amount', amountNumber()),
        applies_to: meaning('What it applies to', word('all', 'products', 'collections')),
        product_ids: meaning('Numbers of the products', listOf(idText(), 100)),
        collection_ids: meaning('Numbers of the collections', listOf(idText(), 100)),
        minimum_subtotal: meaning('What the cart has to reach', orNull(amountNumber())),
        expires_after_days: meaning('How long a coupon can be used', orNull(integer(1, 3660)))
      }),
      required_points: meaning('Its price in points', integer(1, 1_000_000_000)),
      discount_code_prefix: meaning(
        'How its codes begin',
        textLike('at most 20 letters, digits, - or _', /^[\w-]{0,20}$/)
      ),
      enabled: meaning('Whether it can be bought', flag()),
      starts_at: meaning('From when on', orNull(utcInstant())),
      ends_at: meaning('Until when', orNull(utcInstant()))
    }),
    200
  )
})
