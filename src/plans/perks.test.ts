import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#kit/refusal'
import { changedPerks, perksFrom, presentPerks } from './perks.ts'

const WHOLE = {
  discount: {
    value: '12.5',
    type: 'percentage',
    applies_to: 'product',
    product_ids: ['101', 'gid://platform/Product/102', 'gid://shopify/Product/101'],
    steps: [
      { quantity: 2, value: 15, type: 'percentage' },
      { quantity: 5, value: '4.20', type: 'fixed' }
    ],
    price_base: 'sale',
    stack_with_subscriptions: true
  },
  welcome_offer: { value: 10, type: 'fixed', applies_to: 'collection', collection_ids: ['7'] },
  free_shipping: {
    countries: ['US', 'CA', 'US'],
    message: ' Members ship free ',
    threshold: { type: 'subtotal', value: '50.00' }
  },
  store_credit: { amount: 29, type: 'giftcard' }
}

test('perks are stored in minor units and digits, and presented in the format of a request', () => {
  const change = perksFrom(WHOLE, 'USD')
  assert.deepEqual(change, {
    discount: {
      reduction: { type: 'percentage', percent: 12.5 },
      scope: { appliesTo: 'product', productIds: ['101', '102'] },
      steps: [
        { quantity: 2, type: 'percentage', percent: 15 },
        { quantity: 5, type: 'fixed', amountMinor: 420 }
      ],
      priceBase: 'sale',
      stackWithSubscriptions: true
    },
    welcomeOffer: {
      reduction: { type: 'fixed', amountMinor: 1000 },
      scope: { appliesTo: 'collection', collectionIds: ['7'] }
    },
    freeShipping: {
      countries: ['US', 'CA'],
      message: 'Members ship free',
      methodName: null,
      threshold: { type: 'subtotal', amountMinor: 5000 }
    },
    storeCredit: { amountMinor: 2900, type: 'giftcard' }
  })
  const shown = presentPerks(changedPerks({}, change), { creditMinor: 2900, creditType: 'giftcard' }, 'USD')
  assert.deepEqual(perksFrom(shown, 'USD'), change)
})

test('an omitted perk stays, and null removes it', () => {
  const { freeShipping, ...rest } = changedPerks({}, perksFrom(WHOLE, 'USD'))
  assert.deepEqual(changedPerks({ ...rest, freeShipping }, perksFrom({ free_shipping: null }, 'USD')), rest)
  assert.deepEqual(changedPerks(rest, perksFrom({}, 'USD')), rest)
  const threshold = { type: 'items', value: 3 }
  assert.deepEqual(perksFrom({ free_shipping: { threshold } }, 'USD').freeShipping?.threshold, {
    type: 'items',
    items: 3
  })
})

const PERCENT = 'must be a percentage above 0 and up to 100, with at most 2 decimals'
const PRODUCTS = 'must be a list of at most 250 product ids of the platform, as texts of digits or as global ids'
const COUNTRIES = 'must be a list of ISO 3166-1 alpha-2 country codes in upper case, such as US'
const discount = (given: object) => ({ discount: { value: 10, type: 'percentage', ...given } })
const shipping = (given: object) => ({ free_shipping: given })

for (const [given, ...problems] of [
  ['ten', 'perks must be an object with discount, welcome_offer, free_shipping, store_credit'],
  [
    { discounts: {} },
    'perks.discounts is not a field here; perks accepts discount, welcome_offer, free_shipping, store_credit'
  ],
  [
    { discount: 10 },
    /^perks.discount must be an object with value, type, applies_to/,
    'perks.discount.type must be percentage or fixed'
  ],
  [discount({ value: 0 }), `perks.discount.value ${PERCENT}`],
  [discount({ value: 100.01 }), `perks.discount.value ${PERCENT}`],
  [discount({ value: '12.345' }), `perks.discount.value ${PERCENT}`],
  [discount({ value: undefined }), `perks.discount.value ${PERCENT}`],
  [discount({ type: 'half' }), 'perks.discount.type must be percentage or fixed'],
  [discount({ type: 'fixed', value: 0 }), 'perks.discount.value must be an amount above 0'],
  [discount({ type: 'fixed', value: -5 }), 'perks.discount.value must be an amount above 0'],
  [discount({ type: 'fixed', value: '1.999' }), 'perks.discount.value must have at most 2 decimals in USD'],
  [discount({ type: 'fixed', value: {} }), 'perks.discount.value must be an amount above 0, such as 29.00'],
  [discount({ applies_to: 'some' }), 'perks.discount.applies_to must be all, product or collection'],
  [
    discount({ applies_to: 'product' }),
    'perks.discount.product_ids must have at least one id where applies_to is product'
  ],
  [
    discount({ applies_to: 'collection', collection_ids: [] }),
    'perks.discount.collection_ids must have at least one id where applies_to is collection'
  ],
  [discount({ product_ids: ['1'] }), 'perks.discount.product_ids is accepted only where applies_to is product'],
  [discount({ applies_to: 'product', product_ids: ['1', 'x'] }), `perks.discount.product_ids ${PRODUCTS}`],
  [
    discount({ applies_to: 'product', product_ids: ['1', 'gid://platform/Collection/7'] }),
    `perks.discount.product_ids ${PRODUCTS}`
  ],
  [
    discount({ applies_to: 'product', product_ids: Array.from({ length: 251 }, (_, i) => `${i + 1}`) }),
    `perks.discount.product_ids ${PRODUCTS}`,
    'perks.discount.product_ids must have at least one id where applies_to is product'
  ],
  [
    discount({
      steps: [
        { quantity: 2, value: 11, type: 'percentage' },
        { quantity: 2, value: 0, type: 'percentage' }
      ]
    }),
    `perks.discount.steps[1].value ${PERCENT}`,
    'perks.discount.steps[1].quantity must be a larger quantity than the step before'
  ],
  [
    discount({ steps: [{ quantity: 21, value: 1, type: 'fixed' }] }),
    'perks.discount.steps[0].quantity must be a whole number from 1 to 20'
  ],
  [discount({ steps: 3 }), 'perks.discount.steps must be a list of at most 20 objects with quantity, value, type'],
  [discount({ price_base: 1 }), 'perks.discount.price_base must be original or sale'],
  [discount({ stack_with_subscriptions: 1 }), 'perks.discount.stack_with_subscriptions must be true or false'],
  [
    { welcome_offer: { value: 101, type: 'percentage', steps: [] } },
    /^perks.welcome_offer.steps is not a field here/,
    `perks.welcome_offer.value ${PERCENT}`
  ],
  [shipping({ countries: ['us'] }), `perks.free_shipping.countries ${COUNTRIES}`],
  [shipping({ countries: 'US' }), `perks.free_shipping.countries ${COUNTRIES}`],
  [shipping({ message: 'x'.repeat(256) }), 'perks.free_shipping.message must be a text of 1 to 255 characters'],
  [shipping({ method_name: ' ' }), 'perks.free_shipping.method_name must be a text of 1 to 255 characters'],
  [
    shipping({ threshold: { type: 'weight', value: 1 } }),
    'perks.free_shipping.threshold.type must be items or subtotal'
  ],
  [
    shipping({ threshold: { type: 'items', value: 0 } }),
    'perks.free_shipping.threshold.value must be a whole number from 1 to 1000'
  ],
  [
    shipping({ threshold: { type: 'subtotal', value: 0 } }),
    'perks.free_shipping.threshold.value must be an amount above 0'
  ],
  [{ store_credit: { amount: 0 } }, 'perks.store_credit.amount must be an amount above 0'],
  [
    { store_credit: { amount: 5, type: 'cash' } },
    'perks.store_credit.type must be coupon, function, storecredit or giftcard'
  ]
] as [unknown, ...(string | RegExp)[]][]) {
  test(`refuses ${JSON.stringify(given).slice(0, 90)}, naming each field and what it accepts`, () => {
    assert.throws(
      () => perksFrom(given, 'USD'),
      (err: Refusal) => {
        const messages = err.details.map(({ field, message }) => `${field} ${message}`)
        assert.equal(err.message, messages.join('; '))
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

test("amounts have the currency's number of decimals", () => {
  const fixed = (value: string) => ({ welcome_offer: { value, type: 'fixed' } })
  assert.deepEqual(perksFrom(fixed('500'), 'JPY').welcomeOffer?.reduction, { type: 'fixed', amountMinor: 500 })
  assert.deepEqual(perksFrom(fixed('1.125'), 'KWD').welcomeOffer?.reduction, { type: 'fixed', amountMinor: 1125 })
  assert.throws(() => perksFrom(fixed('0.5'), 'JPY'), { message: /must have at most 0 decimals in JPY/ })
})
