// What holds for every cart, plan and person: docs/pricing.md, "Properties". Examples are in worked-examples.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cart, context, line } from './carts.test-helper.ts'
import { type Cart, type CartLine, type PricingContext, priceCart } from './index.ts'
import type { Perks, Reduction } from './perks.ts'
import { amountOff } from './reduce.ts'

const RUNS = { numRuns: 2000 }
/** For every cart, with the price of it. */
const forEvery = (what: string, holds: (cart: Cart, context: PricingContext) => void) =>
  test(what, () => fc.assert(fc.property(cart, context, holds), RUNS))

const byId = <T extends { id: string }>(all: readonly T[]) => new Map(all.map((one) => [one.id, one]))

forEvery(
  'no amount is below 0, and discounts and totals add up to the price of each line and of the cart',
  (cart, context) => {
    const price = priceCart(cart, context)
    for (const [i, one] of price.lines.entries()) {
      const { quantity, priceMinor } = cart.lines[i]!
      assert.deepEqual([one.id, one.quantity, one.priceMinor], [cart.lines[i]!.id, quantity, priceMinor])
      assert.ok(one.totalMinor >= 0 && one.memberPriceMinor >= 0 && one.memberPriceMinor <= priceMinor)
      assert.equal(one.totalMinor + one.discountMinor, priceMinor * quantity)
      assert.equal(
        one.discounts.reduce((sum, discount) => sum + discount.amountMinor, 0),
        one.discountMinor
      )
      for (const { pieces, pieceMinor, amountMinor, label } of one.discounts) {
        assert.ok(Number.isSafeInteger(amountMinor) && amountMinor > 0 && pieces <= quantity)
        assert.equal(pieces * pieceMinor, amountMinor)
        assert.equal(label, price.label)
      }
      assert.ok(one.reasons.length > 0)
    }
    const sum = (of: 'discountMinor' | 'totalMinor') => price.lines.reduce((total, one) => total + one[of], 0)
    assert.deepEqual([price.discountMinor, price.totalMinor], [sum('discountMinor'), sum('totalMinor')])
    assert.equal(price.subtotalMinor, price.discountMinor + price.totalMinor)
    const { discountMinor, isFree } = price.shipping
    assert.ok(discountMinor === 0 || (isFree && discountMinor === cart.shipping!.priceMinor))
  }
)

test('a percentage is exact, rounded down, up to the largest amount', () => {
  const amount = fc.oneof(fc.nat({ max: 100_000 }), fc.maxSafeNat())
  fc.assert(
    fc.property(amount, fc.integer({ min: 1, max: 10_000 }), (amountMinor, rate) => {
      const exact = (BigInt(amountMinor) * BigInt(rate)) / 10_000n
      assert.equal(amountOff(amountMinor, { type: 'percentage', percent: rate / 100 }), Number(exact))
    }),
    RUNS
  )
  assert.equal(amountOff(Number.MAX_SAFE_INTEGER, { type: 'percentage', percent: 100 }), Number.MAX_SAFE_INTEGER)
})

/** Whether an amount is more than what a reduction is of a base, exactly. */
function exceeds(amountMinor: number, reduction: Reduction, baseMinor: number): boolean {
  if (reduction.type === 'fixed') return amountMinor > Math.min(reduction.amountMinor, baseMinor)
  return BigInt(amountMinor) * 10_000n > BigInt(baseMinor) * BigInt(Math.round(reduction.percent * 100))
}

forEvery('no discount exceeds its perk, and is less than one minor unit below it', (cart, context) => {
  const { lines, tier, eligiblePieces } = priceCart(cart, context)
  const { discount, welcomeOffer } = (tier && context.plans[tier]?.perks) || {}
  for (const [i, { discounts, reasons, memberPriceMinor }] of lines.entries()) {
    const { priceMinor, compareAtMinor } = cart.lines[i]!
    for (const { kind, pieceMinor } of discounts) {
      if (kind === 'welcome_offer') {
        assert.ok(!exceeds(pieceMinor, welcomeOffer!.reduction, memberPriceMinor))
        assert.ok(pieceMinor === memberPriceMinor || exceeds(pieceMinor + 1, welcomeOffer!.reduction, memberPriceMinor))
        continue
      }
      if (reasons.some(({ code }) => code === 'tagged_free')) continue
      const steps = discount!.steps.filter(({ quantity }) => quantity <= eligiblePieces)
      const applied = steps.sort((a, b) => b.quantity - a.quantity)[0] ?? discount!.reduction
      const onSale = discount!.priceBase === 'original' && (compareAtMinor ?? 0) > priceMinor
      const baseMinor = onSale ? compareAtMinor! : priceMinor
      // Together with the sale, where it is taken off the compare-at price.
      const offBase = baseMinor - memberPriceMinor
      assert.ok(!exceeds(offBase, applied, baseMinor))
      const isWhole = applied.type === 'fixed' || Number.isInteger(applied.percent) || cart.charge === 'checkout'
      if (isWhole) assert.ok(offBase === baseMinor || exceeds(offBase + 1, applied, baseMinor))
    }
  }
})

test('the order of the lines changes nothing', () => {
  const shuffled = cart.chain((one) =>
    fc.tuple(fc.constant(one), fc.shuffledSubarray([...one.lines], { minLength: one.lines.length }))
  )
  fc.assert(
    fc.property(shuffled, context, ([cart, lines], context) => {
      const { lines: before, ...price } = priceCart(cart, context)
      const { lines: after, ...same } = priceCart({ ...cart, lines }, context)
      assert.deepEqual(same, price)
      assert.deepEqual(byId(after), byId(before))
    }),
    RUNS
  )
})

forEvery('how the pieces of a product are spread over lines changes no amount', (cart, context) => {
  const lines = cart.lines.flatMap((one) =>
    one.quantity === 1
      ? [one]
      : [
          { ...one, quantity: one.quantity - 1 },
          { ...one, id: `${one.id}b`, quantity: 1 }
        ]
  )
  const { lines: _, welcomeOffer, ...price } = priceCart(cart, context)
  const { lines: __, welcomeOffer: offer, ...same } = priceCart({ ...cart, lines }, context)
  assert.deepEqual(same, price)
  assert.deepEqual(offer.reason, welcomeOffer.reason)
})

test('adding a product tagged NO-VIP-DISCOUNT changes nothing else', () => {
  const excluded = line.map((one) => ({
    ...one,
    id: 'added',
    membership: null,
    tags: ['no-vip-DISCOUNT ', ...one.tags]
  }))
  fc.assert(
    fc.property(cart, excluded, fc.nat({ max: 6 }), context, (cart, added, at, context) => {
      const { lines, subtotalMinor, totalMinor, ...price } = priceCart(cart, context)
      const more = [...cart.lines.slice(0, at), added, ...cart.lines.slice(at)]
      const { lines: all, ...same } = priceCart({ ...cart, lines: more }, context)
      const cost = added.priceMinor * added.quantity
      assert.deepEqual(same, { ...price, subtotalMinor: subtotalMinor + cost, totalMinor: totalMinor + cost })
      assert.deepEqual(
        all.filter(({ id }) => id !== 'added'),
        lines
      )
    }),
    RUNS
  )
})

forEvery('who has VIP and Elite pays what a member of Elite alone pays', (cart, context) => {
  if (context.plans.elite === null) return
  const as = (...activeTiers: ('vip' | 'elite')[]) =>
    priceCart(cart, { ...context, member: { activeTiers, heldMembership: true } })
  assert.deepEqual(as('vip', 'elite'), as('elite'))
  assert.equal(as('vip', 'elite').tier, 'elite')
})

forEvery(
  'a cart that holds the membership has the prices of a member, and its own line is not discounted',
  (cart, context) => {
    const products = cart.lines.filter(({ membership }) => membership === null)
    const own: CartLine = {
      ...MUG,
      id: 'own',
      productId: '99',
      quantity: 3,
      priceMinor: 2900,
      membership: 'vip'
    }
    const member = { activeTiers: ['vip' as const], heldMembership: true }
    const asMember = priceCart({ ...cart, lines: products }, { ...context, member })
    const joining = priceCart(
      { ...cart, lines: [...products, { ...own, collectionIds: ['7'], tags: ['100%-VIP-DISCOUNT'] }] },
      { ...context, member: { activeTiers: [], heldMembership: true } }
    )
    assert.deepEqual(joining.lines.slice(0, -1), asMember.lines)
    assert.equal(joining.lines.at(-1)!.discountMinor, 0)
    assert.deepEqual(joining.shipping, asMember.shipping)
    assert.equal(joining.eligiblePieces, asMember.eligiblePieces)
  }
)

forEvery('who has no membership and none in the cart gets nothing, free shipping included', (cart, context) => {
  const lines = cart.lines.map((one) => ({ ...one, membership: null }))
  const { tier, label, discountMinor, shipping } = priceCart(
    { ...cart, lines },
    { ...context, member: { activeTiers: [], heldMembership: true } }
  )
  assert.deepEqual([tier, label, discountMinor, shipping.isFree], [null, null, 0, false])
})

forEvery('the welcome offer is taken off one piece of one line, of the lowest member price', (cart, context) => {
  const { lines, welcomeOffer, tier } = priceCart(cart, context)
  const offered = lines.filter(({ discounts }) => discounts.some(({ kind }) => kind === 'welcome_offer'))
  assert.deepEqual(
    offered.map(({ id }) => id),
    welcomeOffer.lineId === null ? [] : [welcomeOffer.lineId]
  )
  const [one] = offered
  if (!one) return
  assert.equal(one.discounts.at(-1)!.pieces, 1)
  const { heldMembership, activeTiers } = context.member ?? { heldMembership: false, activeTiers: [] }
  assert.ok(!heldMembership && activeTiers.length === 0)
  const { scope } = context.plans[tier!]!.perks.welcomeOffer!
  for (const [i, { memberPriceMinor }] of lines.entries()) {
    const { membership, tags, productId, collectionIds } = cart.lines[i]!
    const isTagged = tags.some((tag) => /no-vip/i.test(tag))
    const inScope =
      scope.appliesTo === 'all' ||
      (scope.appliesTo === 'product'
        ? scope.productIds.includes(productId)
        : scope.collectionIds.some((id) => collectionIds.includes(id)))
    if (membership === null && !isTagged && inScope && memberPriceMinor > 0) {
      assert.ok(memberPriceMinor >= one.memberPriceMinor)
    }
  }
})

forEvery('nothing that is given is changed', (cart, context) => {
  const before = JSON.stringify({ cart, context })
  priceCart(cart, context)
  assert.equal(JSON.stringify({ cart, context }), before)
})

const MUG: CartLine = {
  id: 'a',
  productId: '1',
  variantId: null,
  quantity: 1,
  priceMinor: 1000,
  compareAtMinor: null,
  collectionIds: [],
  tags: [],
  membership: null
}

for (const [what, change, message] of [
  ['a negative price', { priceMinor: -1 }, 'lines[1].priceMinor must be an integer of 0 or more'],
  ['a fraction of a minor unit', { priceMinor: 9.5 }, 'lines[1].priceMinor must be an integer of 0 or more'],
  ['a negative compare-at price', { compareAtMinor: -1 }, 'lines[1].compareAtMinor must be an integer of 0 or more'],
  ['no pieces', { quantity: 0 }, 'lines[1].quantity must be an integer of 1 or more'],
  ['half a piece', { quantity: 0.5 }, 'lines[1].quantity must be an integer of 1 or more'],
  ['two lines of one id', { id: 'a' }, 'lines[1].id must be another one than that of the lines before'],
  [
    'more than numbers can hold',
    { quantity: 2, priceMinor: Number.MAX_SAFE_INTEGER },
    'lines must come to less than 2^53 minor units'
  ]
] as [string, Partial<CartLine>, string][]) {
  test(`a cart with ${what} is an error that names the field`, () => {
    const given: Cart = {
      charge: 'checkout',
      country: null,
      shipping: null,
      lines: [MUG, { ...MUG, id: 'b', ...change }]
    }
    assert.throws(() => priceCart(given, { plans: { vip: null, elite: null }, member: null }), {
      name: 'RangeError',
      message
    })
  })
}

test('a shipping price below 0 is an error that names the field', () => {
  const given: Cart = { charge: 'checkout', country: null, lines: [], shipping: { method: 'Post', priceMinor: -1 } }
  assert.throws(() => priceCart(given, { plans: { vip: null, elite: null }, member: null }), {
    name: 'RangeError',
    message: 'shipping.priceMinor must be an integer of 0 or more'
  })
})

test('free shipping says which method is free and why, and nothing where it is not free', () => {
  const freeShipping = { countries: ['AT'], message: 'Members ship free', methodName: 'Express', threshold: null }
  const plans = { vip: { label: 'VIP', perks: { freeShipping } }, elite: null }
  const shipped = (country: string) =>
    priceCart(
      { charge: 'checkout', country, shipping: { method: ' EXPRESS', priceMinor: 700 }, lines: [MUG] },
      { plans, member: { activeTiers: ['vip'], heldMembership: true } }
    ).shipping
  assert.deepEqual(shipped('AT'), {
    isFree: true,
    methodName: 'Express',
    message: 'Members ship free',
    discountMinor: 700,
    reason: { code: 'free_shipping' }
  })
  assert.deepEqual(shipped('US'), {
    isFree: false,
    methodName: null,
    message: null,
    discountMinor: 0,
    reason: { code: 'other_country', country: 'US', countries: ['AT'] }
  })
})

test('of equal prices the product with the lowest number has the welcome offer, then the variant, then the line', () => {
  const perks: Perks = { welcomeOffer: { reduction: { type: 'fixed', amountMinor: 100 }, scope: { appliesTo: 'all' } } }
  const plans = { vip: { label: 'VIP', perks }, elite: null }
  const own: CartLine = { ...MUG, id: 'own', membership: 'vip' }
  const offered = (...lines: Partial<CartLine>[]) =>
    priceCart(
      { charge: 'checkout', country: null, shipping: null, lines: [own, ...lines.map((one) => ({ ...MUG, ...one }))] },
      { plans, member: null }
    ).welcomeOffer.lineId
  assert.equal(offered({ id: '1', productId: '10' }, { id: '2', productId: '9' }), '2')
  assert.equal(offered({ id: '1', variantId: '8' }, { id: '2', variantId: '7' }), '2')
  assert.equal(offered({ id: '12', variantId: '7' }, { id: '3', variantId: '7' }), '3')
  assert.equal(offered({ id: '1', productId: '1', priceMinor: 11 }, { id: '2', productId: '2', priceMinor: 10 }), '2')
})
