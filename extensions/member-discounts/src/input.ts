/** What the queries of this folder ask for: both targets have these, and the delivery target the groups. */
export type FunctionInput = {
  cart: {
    buyerIdentity: { customer: FunctionCustomer | null } | null
    lines: {
      id: string
      quantity: number
      cost: {
        amountPerQuantity: { amount: string; currencyCode: string }
        compareAtAmountPerQuantity: { amount: string } | null
      }
      merchandise: { __typename: string; product?: FunctionProduct }
    }[]
  }
  discount: { discountClasses: string[]; memberships: { jsonValue: unknown } | null }
  presentmentCurrencyRate: string
  shop: { vip: { jsonValue: unknown } | null; elite: { jsonValue: unknown } | null }
}

type FunctionCustomer = { vip: { hasTag: boolean }[]; elite: { hasTag: boolean }[]; held: { type: string } | null }

type FunctionProduct = {
  id: string
  marks: { tag: string; hasTag: boolean }[]
  inCollections: { collectionId: string; isMember: boolean }[]
}

export type DeliveryInput = Omit<FunctionInput, 'cart'> & {
  cart: FunctionInput['cart'] & {
    deliveryGroups: {
      id: string
      deliveryAddress: { countryCode: string | null } | null
      deliveryOptions: { handle: string; title: string | null }[]
    }[]
  }
}
