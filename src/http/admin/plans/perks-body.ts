import { type TSchema, Type } from 'typebox'
import { CREDIT_PAYOUT_TYPES } from '#plans'
import { OrNull } from '#resources'
import { oneOf } from '../fields.ts'

const describe = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })
const strings = (description: string) => Type.Array(Type.String(), { description })

const Reduction = {
  value: Type.Number({ description: 'A percentage, or an amount in the currency of the plan' }),
  type: oneOf(['percentage', 'fixed'], { description: 'What `value` is' })
}
const Scope = {
  applies_to: oneOf(['all', 'collection', 'product'], { description: 'What it is taken off' }),
  product_ids: strings('Products, where it applies to some'),
  collection_ids: strings('Collections, where it applies to some')
}

const Discount = Type.Object({
  ...Reduction,
  ...Scope,
  steps: Type.Array(Type.Object({ quantity: Type.Integer({ description: 'From how many pieces on' }), ...Reduction }), {
    description: 'Other values from a quantity on; the highest that is reached counts'
  }),
  price_base: oneOf(['original', 'sale'], {
    description: 'Off the compare-at price where there is one, or off the sale price'
  }),
  stack_with_subscriptions: Type.Boolean({
    description:
      'Whether it also counts on renewals of product subscriptions, in whole percents and beside their own discounts'
  })
})

const FreeShipping = Type.Object({
  countries: strings('Where to; empty for everywhere'),
  message: describe(OrNull(Type.String()), 'What the checkout says about it'),
  method_name: describe(OrNull(Type.String()), 'The one shipping method that is free; null for every one'),
  threshold: describe(
    OrNull(
      Type.Object({
        type: oneOf(['items', 'subtotal'], { description: 'What of the cart counts' }),
        value: Type.Number({ description: 'How many items, or which subtotal' })
      })
    ),
    'What a cart must hold; null for anything'
  )
})

const StoreCredit = Type.Object({
  amount: Type.Number({ description: 'For each paid cycle' }),
  type: oneOf(CREDIT_PAYOUT_TYPES, { description: 'How it is paid out' })
})

/** What members of a plan get, in a response. */
export const PerksBody = Type.Object({
  discount: describe(OrNull(Discount), "Members' prices; null for none"),
  welcome_offer: describe(
    OrNull(Type.Object({ ...Reduction, ...Scope })),
    'Off the cheapest product of the first membership order; null for none'
  ),
  free_shipping: describe(OrNull(FreeShipping), 'Free shipping; null for none'),
  store_credit: describe(OrNull(StoreCredit), 'Store credit; null for none')
})
