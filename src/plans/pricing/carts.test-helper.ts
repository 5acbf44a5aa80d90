// Carts, plans and people at random, for what holds for every one of them.
import fc from 'fast-check'
import { type Cart, type CartLine, type PricingContext, TIERS } from './index.ts'
import type { Perks, Reduction, Scope } from './perks.ts'

const ids = (...all: string[]) => fc.constantFrom(...all)

const reduction: fc.Arbitrary<Reduction> = fc.oneof(
  fc.integer({ min: 1, max: 10_000 }).map((rate): Reduction => ({ type: 'percentage', percent: rate / 100 })),
  fc.integer({ min: 1, max: 5_000 }).map((amountMinor): Reduction => ({ type: 'fixed', amountMinor }))
)

const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant<Scope>({ appliesTo: 'all' }),
  fc
    .uniqueArray(ids('1', '2', '11'), { minLength: 1 })
    .map((productIds): Scope => ({ appliesTo: 'product', productIds })),
  fc
    .uniqueArray(ids('7', '8'), { minLength: 1 })
    .map((collectionIds): Scope => ({ appliesTo: 'collection', collectionIds }))
)

const perks: fc.Arbitrary<Perks> = fc.record(
  {
    discount: fc.record({
      reduction,
      scope,
      steps: fc
        .uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 3 })
        .chain((quantities) =>
          fc.tuple(...quantities.map((quantity) => reduction.map((one) => ({ ...one, quantity }))))
        ),
      priceBase: fc.constantFrom('original' as const, 'sale' as const),
      stackWithSubscriptions: fc.boolean()
    }),
    welcomeOffer: fc.record({ reduction, scope }),
    freeShipping: fc.record({
      countries: fc.constantFrom([], ['AT'], ['AT', 'DE']),
      message: fc.constant(null),
      methodName: fc.constantFrom(null, 'Standard', 'Express'),
      threshold: fc.oneof(
        fc.constant(null),
        fc.integer({ min: 1, max: 9 }).map((items) => ({ type: 'items' as const, items })),
        fc.integer({ min: 1, max: 20_000 }).map((amountMinor) => ({ type: 'subtotal' as const, amountMinor }))
      )
    })
  },
  { requiredKeys: [] }
)

// Few and small numbers, so that prices are often equal; sometimes one that is as large as money gets.
const amountMinor = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0, 1, 99, 100, 459, 1000, 1999) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 10 ** 13 }) }
)

export const line: fc.Arbitrary<Omit<CartLine, 'id'>> = fc.record({
  productId: ids('1', '2', '3', '11'),
  variantId: ids('5', '6'),
  quantity: fc.integer({ min: 1, max: 4 }),
  priceMinor: amountMinor,
  compareAtMinor: fc.option(amountMinor),
  collectionIds: fc.subarray(['7', '8', '9']),
  tags: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray(['No-VIP-Discount', '100%-VIP-DISCOUNT', 'sale']) }
  ),
  membership: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...TIERS) })
})

export const cart: fc.Arbitrary<Cart> = fc.record({
  charge: fc.constantFrom('checkout', 'checkout', 'recurring'),
  country: fc.constantFrom(null, 'AT', 'US'),
  shipping: fc.option(fc.record({ method: fc.constantFrom('Standard', 'Express'), priceMinor: amountMinor })),
  lines: fc.array(line, { maxLength: 6 }).map((all) => all.map((one, i) => ({ ...one, id: `${i + 1}` })))
})

export const context: fc.Arbitrary<PricingContext> = fc.record({
  plans: fc.record({
    vip: fc.option(perks.map((all) => ({ label: 'VIP', perks: all }))),
    elite: fc.option(perks.map((all) => ({ label: 'Elite', perks: all })))
  }),
  member: fc.option(fc.record({ activeTiers: fc.subarray([...TIERS]), heldMembership: fc.boolean() }))
})
