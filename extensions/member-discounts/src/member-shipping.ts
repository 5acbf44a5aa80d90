import { priceCart } from '../../../src/plans/pricing/index.ts'
import type { DeliveryInput } from './input.ts'
import { type ReadCart, readCart } from './read-cart.ts'

type Candidate = {
  message: string
  targets: { deliveryOption: { handle: string } }[]
  value: { percentage: { value: string } }
}

export type ShippingResult = {
  operations: { deliveryDiscountsAdd: { candidates: Candidate[]; selectionStrategy: 'ALL' } }[]
}

/** The shipping methods that are free for members, of each delivery of the cart. */
export function memberShipping(input: DeliveryInput): ShippingResult {
  const read = input.discount.discountClasses.includes('SHIPPING') ? readCart(input) : null
  if (!read) return { operations: [] }
  const candidates = input.cart.deliveryGroups.flatMap((group) => freeOptions(read, group))
  if (candidates.length === 0) return { operations: [] }
  return { operations: [{ deliveryDiscountsAdd: { candidates, selectionStrategy: 'ALL' } }] }
}

function freeOptions(
  { cart, context }: ReadCart,
  { deliveryAddress, deliveryOptions }: DeliveryInput['cart']['deliveryGroups'][number]
): Candidate[] {
  const country = deliveryAddress?.countryCode ?? null
  return deliveryOptions.flatMap(({ handle, title }): Candidate[] => {
    // An amount above 0 tells a free method from another one; the percentage needs none.
    const { shipping, label } = priceCart(
      { ...cart, country, shipping: { method: title ?? '', priceMinor: 1 } },
      context
    )
    if (shipping.discountMinor === 0) return []
    const message = shipping.message ?? label!
    return [{ message, targets: [{ deliveryOption: { handle } }], value: { percentage: { value: '100' } } }]
  })
}
