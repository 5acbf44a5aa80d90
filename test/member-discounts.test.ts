// The discount function: its queries and results are valid, and it takes off what the service's pricing takes off.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildSchema, coerceInputValue, isInputType, parse, validate } from 'graphql'
import { currencyDecimals, decimalOf } from '#kit/money'
import { planSettingsField, planSettingsOf } from '#plans'
import { type Cart, type PricingContext, priceCart, type Tier } from '#plans/pricing'
import { encodeMetafield, type Metafield } from '#platform'
import type { DeliveryInput } from '../extensions/member-discounts/src/input.ts'
import { memberPrices } from '../extensions/member-discounts/src/member-prices.ts'
import { memberShipping } from '../extensions/member-discounts/src/member-shipping.ts'
import { decimalsOf } from '../extensions/member-discounts/src/money.ts'
import {
  MAX_MEMBERSHIP_PRODUCTS,
  membershipProducts
} from '../src/mirror/metafields/discount/svc-membership-products.ts'
import { cart as someCart, context as someContext } from '../src/plans/pricing/carts.test-helper.ts'

const folder = new URL('../extensions/member-discounts/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')
const schema = buildSchema(read('schema.graphql'))

const ofResult = (type: string, value: unknown) => {
  const found = schema.getType(type)
  assert.ok(found && isInputType(found))
  coerceInputValue(value, found)
}

test('the input queries are valid, and within the length that the platform takes', () => {
  for (const file of ['src/member_prices.graphql', 'src/member_shipping.graphql']) {
    assert.deepEqual(validate(schema, parse(read(file))), [])
    assert.ok(read(file).length < 3000)
  }
})

test('currencies have the decimals that they have in the service', () => {
  for (const code of Intl.supportedValuesOf('currency')) assert.equal(decimalsOf(code), currencyDecimals(code), code)
})

const settings = { type: 'json', field: planSettingsField } as unknown as Metafield<unknown>

/** A plan of a tier as the service writes it to the shop. */
function written(tier: Tier, plans: PricingContext['plans'], currency: string, productId: string): unknown {
  const plan = plans[tier]
  if (!plan) return null
  const value = planSettingsOf(
    {
      ...{ name: plan.label, tierName: plan.label, type: tier, status: 'enabled', perks: plan.perks, currency },
      ...{ priceMinor: 100, interval: 'month', intervalCount: 1, trialType: null, trialDays: 0, trialPriceMinor: 0 },
      ...{ creditMinor: 0, creditType: 'storecredit', allowedCountries: [] },
      ...{ platformProductId: productId, platformVariantId: '1', platformSellingPlanId: '1' }
    },
    { vipDiscount: true }
  )
  return { jsonValue: JSON.parse(encodeMetafield(settings, value)) }
}

const PRODUCTS = { vip: '900', elite: '901' }
/** Those of plans that are not the main ones. */
const OTHER_PRODUCTS = { vip: '902', elite: '903' }
const MEMBERSHIPS = { vip: [PRODUCTS.vip, OTHER_PRODUCTS.vip], elite: [OTHER_PRODUCTS.elite, PRODUCTS.elite] }
const COLLECTIONS = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
const MARKS = ['NO-VIP-DISCOUNT', '100%-VIP-DISCOUNT']

/** What the platform would give the function for a cart. */
function inputOf(cart: Cart, { plans, member }: PricingContext, currency = 'EUR'): DeliveryInput {
  const money = (minor: number) => decimalOf(minor, currency)
  const has = (tier: Tier) => [{ hasTag: member?.activeTiers.includes(tier) ?? false }]
  return {
    cart: {
      buyerIdentity: {
        customer: member && {
          vip: has('vip'),
          elite: has('elite'),
          held: member.heldMembership ? { type: 'json' } : null
        }
      },
      lines: cart.lines.map((line) => ({
        id: line.id,
        quantity: line.quantity,
        cost: {
          amountPerQuantity: { amount: money(line.priceMinor), currencyCode: currency },
          compareAtAmountPerQuantity: line.compareAtMinor === null ? null : { amount: money(line.compareAtMinor) }
        },
        merchandise: {
          __typename: 'ProductVariant',
          product: {
            id: `gid://shopify/Product/${line.productId}`,
            marks: MARKS.map((tag) => ({
              tag,
              hasTag: line.tags.some((one) => one.trim().toLowerCase() === tag.toLowerCase())
            })),
            inCollections: COLLECTIONS.map((id) => ({
              collectionId: `gid://shopify/Collection/${id}`,
              isMember: line.collectionIds.includes(id)
            }))
          }
        }
      })),
      deliveryGroups: [
        {
          id: 'gid://shopify/CartDeliveryGroup/0',
          deliveryAddress: { countryCode: cart.country },
          deliveryOptions: [{ handle: 'one', title: cart.shipping?.method ?? 'Post' }]
        }
      ]
    },
    discount: {
      discountClasses: ['PRODUCT', 'SHIPPING'],
      memberships: { jsonValue: JSON.parse(encodeMetafield(membershipProducts, MEMBERSHIPS)) }
    },
    presentmentCurrencyRate: '1.0',
    shop: {
      vip: written('vip', plans, currency, PRODUCTS.vip) as never,
      elite: written('elite', plans, currency, PRODUCTS.elite) as never
    }
  }
}

/**
 * The membership's own line has its product's number, that of the main plan or of another one; variants are not read, and decide between
 * equal prices only.
 */
const asSold = (cart: Cart): Cart => ({
  ...cart,
  charge: 'checkout',
  shipping: { method: cart.shipping?.method ?? 'Post', priceMinor: 500 },
  lines: cart.lines.map((line) => ({
    ...line,
    variantId: null,
    priceMinor: line.priceMinor % 1e12,
    compareAtMinor: line.compareAtMinor === null ? null : line.compareAtMinor % 1e12,
    productId:
      line.membership === null ? line.productId : (line.quantity % 2 === 0 ? PRODUCTS : OTHER_PRODUCTS)[line.membership]
  }))
})

const off = (input: DeliveryInput): [string, string][] =>
  memberPrices(input).operations.flatMap(({ productDiscountsAdd }) =>
    productDiscountsAdd.candidates.map(({ targets, value }): [string, string] => [
      targets[0]!.cartLine.id,
      value.fixedAmount.amount
    ])
  )

for (const currency of ['EUR', 'JPY', 'KWD']) {
  test(`for every cart it takes off what the service's pricing takes off, in ${currency}`, () => {
    fc.assert(
      fc.property(someCart, someContext, (given, context) => {
        const cart = asSold(given)
        const input = inputOf(cart, context, currency)
        const price = priceCart(cart, context)
        const expected = price.lines.flatMap(({ id, discountMinor }): [string, string][] =>
          discountMinor === 0 ? [] : [[id, decimalOf(discountMinor, currency)]]
        )
        assert.deepEqual(off(input), expected)
        const shipping = memberShipping(input)
        assert.equal(shipping.operations.length === 1, cart.lines.length > 0 && price.shipping.discountMinor > 0)
        ofResult('CartLinesDiscountsGenerateRunResult', memberPrices(input))
        ofResult('CartDeliveryOptionsDiscountsGenerateRunResult', shipping)
      }),
      { numRuns: 500 }
    )
  })
}

const TENTH = { type: 'percentage' as const, percent: 10 }
const context: PricingContext = {
  plans: {
    vip: {
      label: 'Gold',
      perks: {
        discount: {
          reduction: TENTH,
          scope: { appliesTo: 'all' },
          steps: [],
          priceBase: 'sale',
          stackWithSubscriptions: false
        },
        welcomeOffer: { reduction: { type: 'fixed', amountMinor: 300 }, scope: { appliesTo: 'all' } },
        freeShipping: {
          countries: ['AT'],
          message: 'Members ship free',
          methodName: 'Express',
          threshold: { type: 'subtotal', amountMinor: 1500 }
        }
      }
    },
    elite: null
  },
  member: { activeTiers: ['vip'], heldMembership: true }
}
const line = { variantId: null, compareAtMinor: null, collectionIds: [], tags: [], membership: null }
const cart: Cart = {
  charge: 'checkout',
  country: 'AT',
  shipping: { method: 'Express', priceMinor: 500 },
  lines: [{ ...line, id: 'a', productId: '1', quantity: 2, priceMinor: 1000 }]
}

test('a member has the price and the message of the tier, and the free method alone', () => {
  const input = inputOf(cart, context)
  input.cart.deliveryGroups[0]!.deliveryOptions.push({ handle: 'two', title: 'Post' })
  assert.deepEqual(memberPrices(input), {
    operations: [
      {
        productDiscountsAdd: {
          candidates: [
            {
              message: 'Gold',
              targets: [{ cartLine: { id: 'a' } }],
              value: { fixedAmount: { amount: '2.00', appliesToEachItem: false } }
            }
          ],
          selectionStrategy: 'ALL'
        }
      }
    ]
  })
  assert.deepEqual(memberShipping(input), {
    operations: [
      {
        deliveryDiscountsAdd: {
          candidates: [
            {
              message: 'Members ship free',
              targets: [{ deliveryOption: { handle: 'one' } }],
              value: { percentage: { value: '100' } }
            }
          ],
          selectionStrategy: 'ALL'
        }
      }
    ]
  })
})

for (const [what, change] of [
  [
    'the discount is of another class',
    (input: DeliveryInput) => ({ ...input, discount: { ...input.discount, discountClasses: ['ORDER'] } })
  ],
  ['the plans are not there', (input: DeliveryInput) => ({ ...input, shop: { vip: null, elite: null } })],
  [
    'the settings cannot be read',
    (input: DeliveryInput) => ({ ...input, shop: { vip: { jsonValue: { status: 1, dp: 1, dt: 'x' } }, elite: null } })
  ],
  [
    'the plan is disabled',
    (input: DeliveryInput) => ({ ...input, shop: { ...input.shop, vip: { jsonValue: { status: 0 } } } })
  ],
  [
    'nobody is logged in',
    (input: DeliveryInput) => ({ ...input, cart: { ...input.cart, buyerIdentity: { customer: null } } })
  ]
] as [string, (input: DeliveryInput) => DeliveryInput][]) {
  test(`takes nothing off when ${what}`, () => {
    const input = change(inputOf(cart, context))
    assert.deepEqual([memberPrices(input), memberShipping(input)], [{ operations: [] }, { operations: [] }])
  })
}

test('in a cart of another currency fixed amounts are converted, down for what is taken off and up for what is needed', () => {
  const fixed: PricingContext = {
    ...context,
    plans: {
      vip: {
        label: 'Gold',
        perks: {
          discount: {
            ...context.plans.vip!.perks.discount!,
            reduction: { type: 'fixed', amountMinor: 199 }
          },
          freeShipping: {
            countries: [],
            message: null,
            methodName: null,
            threshold: { type: 'subtotal', amountMinor: 1001 }
          }
        }
      },
      elite: null
    }
  }
  const input = { ...inputOf(cart, fixed), presentmentCurrencyRate: '1.105' }
  // 1.99 is 2.19895, and 10.01 is 11.06105.
  assert.deepEqual(off(input), [['a', '4.38']])
  assert.equal(memberShipping(input).operations.length, 1)
  const yen = inputOf({ ...cart, lines: [{ ...cart.lines[0]!, priceMinor: 1000 }] }, fixed, 'EUR')
  for (const one of yen.cart.lines) one.cost.amountPerQuantity = { amount: '1000.0', currencyCode: 'JPY' }
  assert.deepEqual(off({ ...yen, presentmentCurrencyRate: '160.25' }), [['a', '636']])
})

test('the welcome offer comes with the membership in the cart, as one amount with the member price', () => {
  const joining: Cart = {
    ...cart,
    lines: [
      { ...cart.lines[0]! },
      { ...line, id: 'own', productId: PRODUCTS.vip, quantity: 1, priceMinor: 2900, membership: 'vip' }
    ]
  }
  const never = { ...context, member: { activeTiers: [], heldMembership: false } }
  assert.deepEqual(off(inputOf(joining, never)), [['a', '5.00']])
  assert.deepEqual(off(inputOf(joining, { ...never, member: { activeTiers: [], heldMembership: true } })), [
    ['a', '2.00']
  ])
})

test('the membership of a plan that is not the main one is not reduced, and has its perks in the cart', () => {
  const annual: Cart = {
    ...cart,
    lines: [
      { ...cart.lines[0]! },
      { ...line, id: 'own', productId: OTHER_PRODUCTS.vip, quantity: 1, priceMinor: 29000, membership: 'vip' }
    ]
  }
  assert.deepEqual(off(inputOf(annual, context)), [['a', '2.00']])
  const never = { ...context, member: { activeTiers: [], heldMembership: false } }
  assert.deepEqual(off(inputOf(annual, never)), [['a', '5.00']])
  // A discount that has no list yet knows the main plans' products.
  const input = inputOf(
    { ...annual, lines: [annual.lines[0]!, { ...annual.lines[1]!, productId: PRODUCTS.vip }] },
    context
  )
  for (const memberships of [null, { jsonValue: 'x' }, { jsonValue: null }]) {
    assert.deepEqual(off({ ...input, discount: { ...input.discount, memberships } }), [['a', '2.00']])
  }
})

test('the list of memberships stays within what a function is given', () => {
  const ids = Array.from({ length: MAX_MEMBERSHIP_PRODUCTS }, (_, i) => `${10n ** 19n + BigInt(i)}`)
  assert.ok(Buffer.byteLength(encodeMetafield(membershipProducts, { vip: ids, elite: ids })) < 10_000)
})
