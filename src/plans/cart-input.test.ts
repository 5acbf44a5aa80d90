import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#kit/refusal'
import { cartFrom } from './cart-input.ts'
import type { Plan } from './plan.ts'

const plan = (id: number, type: Plan['type'], status: Plan['status'] = 'enabled') =>
  ({ id, type, status, platformProductId: type === 'product' ? null : `90${id}` }) as Plan
const PLANS = [plan(1, 'vip', 'disabled'), plan(2, 'product'), plan(3, 'vip'), plan(4, 'vip'), plan(5, 'elite')]
const line = { product_id: '101', price: '10.00' }

test('a cart is read in minor units and digits, with the membership that a line sells', () => {
  const cart = cartFrom(
    {
      country: 'AT',
      shipping: { method: ' Standard ', price: 5 },
      lines: [
        line,
        {
          id: 'b',
          product_id: 'gid://platform/Product/102',
          variant_id: 'gid://shopify/ProductVariant/7',
          quantity: 3,
          price: 0,
          compare_at_price: '12.5',
          collection_ids: ['7', 'gid://platform/Collection/8'],
          tags: ['NO-VIP-DISCOUNT', ' a, b']
        },
        { ...line, product_id: '901' },
        { ...line, product_id: '905', compare_at_price: null }
      ]
    },
    'EUR',
    PLANS
  )
  const first = {
    id: '1',
    productId: '101',
    variantId: null,
    quantity: 1,
    priceMinor: 1000,
    compareAtMinor: null,
    collectionIds: [],
    tags: [],
    membership: null
  }
  assert.deepEqual(cart, {
    charge: 'checkout',
    country: 'AT',
    shipping: { method: 'Standard', priceMinor: 500 },
    lines: [
      first,
      {
        id: 'b',
        productId: '102',
        variantId: '7',
        quantity: 3,
        priceMinor: 0,
        compareAtMinor: 1250,
        collectionIds: ['7', '8'],
        tags: ['NO-VIP-DISCOUNT', ' a, b'],
        membership: null
      },
      { ...first, id: '3', productId: '901', membership: 'vip' },
      { ...first, id: '4', productId: '905', membership: 'elite' }
    ]
  })
  assert.equal(cartFrom({ charge: 'recurring', lines: [line] }, 'EUR', []).charge, 'recurring')
})

const LINES =
  'must be a list of 1 to 250 objects with id, product_id, variant_id, quantity, price, compare_at_price, collection_ids, tags'
const ACCEPTS = 'cart accepts lines, charge, country, shipping'
const PRODUCT = 'must be a product id of the platform, as a text of digits or as a global id'
const TAGS = 'must be a list of at most 250 texts of at most 255 characters'

for (const [given, ...problems] of [
  [{}, `cart.lines ${LINES}`],
  [{ lines: [] }, `cart.lines ${LINES}`],
  [{ lines: line }, /^cart.lines must be a list of at most 250 objects with id, product_id/],
  [{ lines: [line], colour: 'red' }, `cart.colour is not a field here; ${ACCEPTS}`],
  [{ lines: [line, 'mug'] }, /^cart.lines\[1\] must be an object with id/, /product_id/, /price/],
  [{ lines: [{ ...line, colour: 'red' }] }, /^cart.lines\[0\].colour is not a field here/],
  [{ lines: [{ price: 1 }] }, `cart.lines[0].product_id ${PRODUCT}`],
  [{ lines: [{ ...line, product_id: 'gid://platform/Collection/7' }] }, `cart.lines[0].product_id ${PRODUCT}`],
  [
    { lines: [{ ...line, variant_id: 'x' }] },
    'cart.lines[0].variant_id must be a product variant id of the platform, as a text of digits or as a global id'
  ],
  [{ lines: [{ product_id: '1' }] }, 'cart.lines[0].price must be an amount of 0 or more, such as 29.00'],
  [{ lines: [{ ...line, price: -1 }] }, 'cart.lines[0].price must be an amount of 0 or more'],
  [{ lines: [{ ...line, price: '1.999' }] }, 'cart.lines[0].price must have at most 2 decimals in EUR'],
  [{ lines: [{ ...line, compare_at_price: '-2' }] }, 'cart.lines[0].compare_at_price must be an amount of 0 or more'],
  [{ lines: [line, { ...line, quantity: 0 }] }, 'cart.lines[1].quantity must be a whole number from 1 to 10000'],
  [{ lines: [{ ...line, quantity: 1.5 }] }, 'cart.lines[0].quantity must be a whole number from 1 to 10000'],
  [{ lines: [{ ...line, tags: 'sale' }] }, `cart.lines[0].tags ${TAGS}`],
  [{ lines: [{ ...line, tags: ['sale', 7] }] }, `cart.lines[0].tags ${TAGS}`],
  [{ lines: [{ ...line, tags: ['x'.repeat(256)] }] }, `cart.lines[0].tags ${TAGS}`],
  [
    { lines: [{ ...line, collection_ids: ['x'] }] },
    /^cart.lines\[0\].collection_ids must be a list of at most 250 collection ids/
  ],
  [
    { lines: [{ ...line, id: '2' }, line] },
    'cart.lines[1].id must differ from that of the lines before; by default it is their number'
  ],
  [
    { lines: [line, { ...line, quantity: 2, price: '90071992547409.91' }] },
    'cart.lines must come to at most 90071992547409.91 in all'
  ],
  [{ lines: [line], charge: 'trial' }, 'cart.charge must be checkout or recurring'],
  [
    { lines: [line], country: 'at' },
    'cart.country must be an ISO 3166-1 alpha-2 country code in upper case, such as US'
  ],
  [{ lines: [line], shipping: { price: 5 } }, 'cart.shipping.method must be a text of 1 to 255 characters'],
  [
    { lines: [line], shipping: { method: 'Post' } },
    'cart.shipping.price must be an amount of 0 or more, such as 29.00'
  ],
  [
    { lines: [{ ...line, price: 'x', quantity: 'y' }] },
    'cart.lines[0].quantity must be a whole number from 1 to 10000',
    'cart.lines[0].price must be a decimal amount such as 29.00'
  ]
] as [unknown, ...(string | RegExp)[]][]) {
  test(`refuses the cart ${JSON.stringify(given).slice(0, 90)}, naming each field and what it accepts`, () => {
    assert.throws(
      () => cartFrom(given, 'EUR', PLANS),
      (err: Refusal) => {
        const messages = err.details.map(({ field, message }) => `${field} ${message}`)
        assert.equal(messages.length, problems.length, messages.join('; '))
        for (const [i, problem] of problems.entries()) {
          if (problem instanceof RegExp) assert.match(messages[i]!, problem)
          else assert.equal(messages[i], problem)
        }
        return err instanceof Refusal && err.code === 'invalid_request'
      }
    )
  })
}
