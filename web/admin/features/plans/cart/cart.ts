/** A cart as it is edited: texts, so that nothing typed is lost. */
export type CartLine = {
  product: string
  quantity: string
  price: string
  compareAt: string
  collections: string[]
  tags: string[]
}

export type Cart = {
  lines: CartLine[]
  country: string
  shippingMethod: string
  shippingPrice: string
}

export const emptyLine = (): CartLine => ({
  product: '',
  quantity: '1',
  price: '',
  compareAt: '',
  collections: [],
  tags: []
})

/** Two products to begin with, one of them on sale. */
export const firstCart = (): Cart => ({
  lines: [
    { ...emptyLine(), product: '101', quantity: '2', price: '25.00' },
    { ...emptyLine(), product: '102', price: '60.00', compareAt: '80.00' }
  ],
  country: '',
  shippingMethod: 'Standard',
  shippingPrice: '5.00'
})

/** What is sent: empty entries are left out, and what is no number is refused by the service at its field. */
export const cartBody = ({ lines, country, shippingMethod, shippingPrice }: Cart) => ({
  lines: lines.map(({ product, quantity, price, compareAt, collections, tags }) => ({
    product_id: product.trim(),
    quantity: numberOr(quantity),
    price: price.trim(),
    ...(compareAt.trim() && { compare_at_price: compareAt.trim() }),
    ...(collections.length > 0 && { collection_ids: collections }),
    ...(tags.length > 0 && { tags })
  })),
  ...(country.trim() && { country: country.trim().toUpperCase() }),
  ...(shippingMethod.trim() && { shipping: { method: shippingMethod.trim(), price: shippingPrice.trim() || '0' } })
})

const numberOr = (text: string) => (/^[0-9]+$/.test(text.trim()) ? Number(text) : text)
