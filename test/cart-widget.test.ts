// What the cart widget shows: it is a function of what a theme prints. Its prices are those of the service, for carts at random.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Perks, priceCart } from '#plans/pricing'
import { cart as someCart, context as someContext } from '../src/plans/pricing/carts.test-helper.ts'
import { priceWith } from '../web/storefront/cart/cart-prices.ts'
import { formatsFor } from '../web/storefront/cart/formats.ts'
import { type Choice, modelOf } from '../web/storefront/cart/model.ts'
import { readOffers } from '../web/storefront/cart/offers.ts'
import { readThemeData, type ThemeData } from '../web/storefront/cart/theme-data.ts'
import { sayer } from '../web/storefront/cart/words.ts'
import { cartWith, printedCart, printedCustomer, printedPlan } from './printed-cart.ts'

type Printed = { cart: object; variants: object; customer: object | null; country: string | null; metafields: object }

/** What a theme prints, as the element reads it. */
function printed(given: Partial<Printed>, currency = 'EUR'): ThemeData {
  const all = {
    root: '/',
    locale: 'en',
    country: null,
    currency,
    customer: null,
    metafields: {},
    variants: {},
    ...given
  }
  return readThemeData({ querySelector: () => ({ textContent: JSON.stringify(all) }) })!
}

test('a cart costs with each membership and without one what the service says that it costs', () => {
  const run = fc.property(
    someCart,
    someContext,
    fc.constantFrom('EUR', 'JPY'),
    fc.constantFrom(null, 'vip' as const, 'elite' as const),
    (given, { plans, member }, currency, tier) => {
      const metafields = {
        svc_plan_settings: printedPlan('vip', plans.vip, currency),
        svc_plan_settings2: printedPlan('elite', plans.elite, currency)
      }
      const { country } = given
      const customer = printedCustomer(member)
      const data = printed({ ...printedCart(given, currency), country, customer, metafields }, currency)
      const { decimals } = formatsFor('en', currency, currency)
      const offers = readOffers(data, { rate: 1, decimals })
      const offer = offers.find((one) => one.tier === tier) ?? null
      const expected = priceCart(cartWith(given, offer && tier), { plans, member })
      assert.deepEqual(priceWith(data, offers, offer, decimals), expected)
    }
  )
  fc.assert(run, { numRuns: 1000 })
})

const TWENTY: { discount: NonNullable<Perks['discount']> } = {
  discount: {
    reduction: { type: 'percentage', percent: 20 },
    scope: { appliesTo: 'all' },
    ...{ steps: [], priceBase: 'sale', stackWithSubscriptions: false }
  }
}
const vip = (perks: Perks, more = {}) => printedPlan('vip', { label: 'VIP', perks }, 'EUR', more)

const item = (hundredths: number, quantity = 1, more: object = {}) => ({
  ...{ key: 'k', product_id: 5, variant_id: 50, quantity, original_price: hundredths, final_price: hundredths },
  ...{ product_title: 'Kettle', product_type: 'Equipment', ...more }
})
const MEMBERSHIP = item(2900, 1, { product_id: 900, variant_id: 9001, product_type: 'Membership' })
const FACTS = { 50: { tags: [], collections: [], compare_at: null } }
const member = (more: object = {}) => ({
  tags: ['SVC: VIP: Active'],
  customer_subscription1: { scid: 7, status: 'ACTIVE' },
  ...more
})

type Given = {
  items?: object[]
  widget?: object
  ofMember?: object
  plan?: object | null
  customer?: object | null
  chosen?: Choice | null
  more?: object
  printed?: object
}

/** What the element shows: for a kettle of 100.00 and a plan that takes 20 % off, unless something else is given. */
function shown({ items = [item(10_000)], widget = {}, ofMember = {}, plan = vip(TWENTY), ...given }: Given = {}) {
  const data = printed({
    cart: { token: 't', currency: 'EUR', items },
    variants: FACTS,
    customer: given.customer ?? null,
    metafields: {
      ...{ svc_plan_settings: plan, svc_widget_cart_page: widget, svc_widget_cart_page_member: ofMember },
      ...given.more
    },
    ...given.printed
  })
  const formats = formatsFor(data.locale, data.cart.currency, data.currency)
  const offers = readOffers(data, { rate: 1, decimals: formats.decimals })
  return modelOf({ data, offers, formats, chosen: given.chosen ?? null, say: sayer(data.words) })
}

test('without texts it says what both ways to buy cost', () => {
  assert.deepEqual(shown({ chosen: 'vip' }), {
    options: [
      {
        ...{ choice: 'vip', title: 'VIP', subtitle: null, body: null },
        ...{ total: '€80.00', before: '€100.00', fee: 'VIP: €29.00 / month' }
      },
      {
        ...{ choice: 'payg', title: 'Pay as you go', subtitle: null, body: null },
        ...{ total: '€100.00', before: null, fee: null }
      }
    ],
    chosen: 'vip',
    title: 'How do you want to buy?',
    ...{
      body: null,
      total: null,
      before: null,
      saved: 'You save €20.00',
      bar: null,
      terms: null,
      credit: null,
      lines: []
    },
    button: 'Join and check out',
    rows: ['VIP price: €80.00']
  })
})

test('the texts of the settings take their place, with what placeholders stand for', () => {
  const widget = {
    ...{ subtitle: 'Buy with {plan_name}?', m_title: '{plan_name} for {price}', m_subtitle: 'Save {savings}' },
    ...{ m_body: '{credit} to spend', m_checkout_btn_name: 'Join {plan_name}', cart_disclaimer: '{price} each month' },
    ...{ r_title: 'Without', r_subtitle: 'No {plan_name}', r_body: 'As it is' }
  }
  const model = shown({ widget, chosen: 'vip' })!
  const [first, second] = model.options
  assert.deepEqual(
    [model.title, model.button, model.terms],
    ['Buy with VIP?', 'Join VIP', { text: '€29.00 each month', isAsked: false }]
  )
  // Nobody is logged in, so there is no credit to speak of.
  assert.deepEqual([first!.title, first!.subtitle, first!.body], ['VIP for €29.00', 'Save €20.00', null])
  assert.deepEqual([second!.title, second!.subtitle, second!.body], ['Without', 'No VIP', 'As it is'])
})

test('a text of savings is left out where nothing is saved, for customers and for members', () => {
  const texts = { m_title: 'Save {savings} with {plan_name}', m_body: 'You save {savings}' }
  const [first] = shown({ plan: vip({}), widget: texts, chosen: 'vip' })!.options
  assert.deepEqual([first!.title, first!.body], ['VIP', null])
  const ofMember = shown({ plan: vip({}), ofMember: texts, customer: member() })!
  assert.deepEqual([ofMember.body, ofMember.saved], [null, null])
})

test('a member reads the texts for members, and chooses nothing', () => {
  const ofMember = { subtitle: 'Hello {plan_name}', m_body: 'You save {savings}', m_checkout_btn_name: 'Check out' }
  const model = shown({ ofMember, widget: { subtitle: 'Not this' }, customer: member({ svc_st: 12.5 }) })!
  assert.deepEqual(
    { ...model, rows: null },
    {
      ...{ options: [], chosen: null, title: 'Hello VIP', body: 'You save €20.00', total: '€80.00', before: '€100.00' },
      ...{
        saved: 'You save €20.00',
        bar: null,
        terms: null,
        credit: 'Store credit: €12.50',
        lines: [],
        button: 'Check out'
      },
      rows: null
    }
  )
})

for (const [on, off] of [
  [1, 0],
  ['1', '0'],
  [true, false],
  ['true', '']
]) {
  test(`a flag is ${JSON.stringify(on)} or ${JSON.stringify(off)}`, () => {
    const chosen = (flag: unknown) => shown({ widget: { cart_default_PAYG: flag } })?.chosen
    assert.deepEqual([chosen(on), chosen(off)], ['payg', 'vip'])
    const plan = {
      ...vip({ ...TWENTY, freeShipping: shippingFrom({ type: 'items', items: 3 }) }),
      status: on,
      dp: on,
      fs: on
    }
    assert.equal(shown({ plan, widget: { enable_progress_bar: on } })?.bar?.milestones.length, 1)
    assert.equal(shown({ plan, widget: { enable_progress_bar: off } })?.bar, null)
    assert.equal(shown({ plan: { ...plan, fs: off }, widget: { enable_progress_bar: on } })?.bar, null)
    assert.equal(shown({ plan: { ...plan, dp: off } })?.saved, null)
    assert.equal(shown({ plan: { ...plan, status: off } }), null)
    const agreed = shown({ more: { svc_agreement: { agreement_enabled: on } } })?.terms
    assert.deepEqual(agreed, { text: 'I agree to pay €29.00 / month until I cancel.', isAsked: true })
    assert.equal(shown({ more: { svc_agreement: { agreement_enabled: off } } })?.terms, null)
  })
}

const shippingFrom = (threshold: { type: 'items'; items: number } | { type: 'subtotal'; amountMinor: number }) => ({
  ...{ countries: [], message: null, methodName: null, threshold }
})

test('the bar says how near the cart is to free shipping, and to the next step of the discount', () => {
  const widget = { enable_progress_bar: 1, progress_bar_title: 'Soon', progress_bar_item: 'With {plan_name}' }
  const bar = (perks: Perks, quantity: number) =>
    shown({ plan: vip(perks), widget, items: [item(1000, quantity)] })?.bar
  const items = { freeShipping: shippingFrom({ type: 'items', items: 4 }) }
  assert.deepEqual(bar(items, 1), {
    ...{ title: 'Soon', text: 'With VIP' },
    milestones: [{ share: 0.25, text: '3 more: Free shipping' }]
  })
  assert.deepEqual(bar(items, 4)?.milestones, [{ share: 1, text: 'Reached: Free shipping' }])
  // 20 % off 10.00 each: what counts is what members pay.
  const subtotal = {
    ...TWENTY,
    freeShipping: { ...shippingFrom({ type: 'subtotal', amountMinor: 3200 }), message: 'Ships free' }
  }
  assert.deepEqual(bar(subtotal, 1)?.milestones, [{ share: 0.25, text: '€24.00 more: Ships free' }])
  assert.deepEqual(bar(subtotal, 4)?.milestones, [{ share: 1, text: 'Reached: Ships free' }])
  const steps = {
    discount: {
      ...TWENTY.discount,
      steps: [
        { quantity: 6, type: 'fixed' as const, amountMinor: 300 },
        { quantity: 3, type: 'percentage' as const, percent: 25.5 }
      ]
    }
  }
  assert.deepEqual(bar(steps, 2)?.milestones, [{ share: 2 / 3, text: '1 more: 25.5% off' }])
  assert.deepEqual(bar(steps, 3)?.milestones, [{ share: 0.5, text: '3 more: €3.00 off' }])
  assert.deepEqual(bar(steps, 9)?.milestones, [{ share: 1, text: 'Reached: €3.00 off' }])
  const elsewhere = { freeShipping: { ...items.freeShipping, countries: ['DE'] } }
  assert.equal(shown({ plan: vip(elsewhere), widget, printed: { country: 'AT' } })?.bar, null)
})

test('who buys without a membership is promised nothing but its prices, by name', () => {
  const { saved, bar, terms, button, rows } = shown({
    chosen: 'payg',
    widget: { enable_progress_bar: 1, cart_disclaimer: 'Terms', m_checkout_btn_name: 'Join' },
    plan: vip({ ...TWENTY, freeShipping: shippingFrom({ type: 'items', items: 3 }) })
  })!
  assert.deepEqual({ saved, bar, terms, button }, { saved: null, bar: null, terms: null, button: null })
  assert.deepEqual(rows, ['VIP price: €80.00'])
})

test('what the shop has taken off already is not taken off again, nor said beside the price', () => {
  const { options, rows } = shown({ items: [MEMBERSHIP, item(10_000, 1, { final_price: 8000 })], chosen: 'vip' })!
  assert.deepEqual(
    options.map(({ total }) => total),
    ['€80.00', '€100.00']
  )
  assert.deepEqual(rows, [null, null])
})

test('the button is that of the settings once the membership is in the cart, and none without', () => {
  const button = (widget: object, items: object[]) => shown({ widget, items, chosen: 'vip' })?.button
  assert.equal(button({}, [MEMBERSHIP, item(100)]), null)
  assert.equal(button({ m_checkout_btn_name: 'Pay' }, [MEMBERSHIP, item(100)]), 'Pay')
  assert.equal(button({ m_checkout_btn_name: 'Pay' }, [item(100)]), 'Pay')
})

test('hide_st hides the credit, and hide_sp the ways to subscribe to products', () => {
  const variants = { 50: { ...FACTS[50], plans: [{ id: 81, name: 'Every month' }] } }
  const given = (widget: object) =>
    shown({
      widget,
      customer: member({ svc_st: '3.00' }),
      items: [item(100, 2, { selling_plan_allocation: { selling_plan: { id: 81 } } })],
      printed: { variants }
    })!
  const line = {
    line: 1,
    quantity: 2,
    label: 'How to buy: Kettle',
    chosen: '81',
    plans: [{ id: '81', name: 'Every month' }]
  }
  assert.deepEqual([given({}).credit, given({}).lines], ['Store credit: €3.00', [line]])
  assert.deepEqual([given({ hide_st: 'on' }).credit, given({ hide_st: 'on' }).lines], [null, [line]])
  assert.deepEqual([given({ hide_sp: 'on' }).credit, given({ hide_sp: 'on' }).lines], ['Store credit: €3.00', []])
})

test('nothing is shown where there is nothing to sell, or nobody to sell it to', () => {
  const away = {
    'an empty cart': { items: [] },
    'no plan': { plan: null },
    'a plan that cannot be read': { plan: { ...vip(TWENTY), dv: 'much' } },
    'a plan without its selling plan': { plan: { ...vip(TWENTY), plan_id: '' } },
    'a plan that is not sold here': {
      plan: { ...vip(TWENTY), allowed_countries: 'DE,CH' },
      printed: { country: 'AT' }
    },
    'a membership that no theme knows': { items: [item(100, 1, { product_type: 'Membership' })] },
    'a membership that is paused': {
      customer: member({ tags: [], customer_subscription1: { scid: 7, status: 'PAUSED' } })
    }
  }
  for (const [what, given] of Object.entries(away)) assert.equal(shown(given), null, what)
  const here = {
    'a membership that has ended': {
      customer: member({ tags: [], customer_subscription1: { scid: 7, status: 'CANCELLED' } })
    },
    'a plan that is sold here': { plan: { ...vip(TWENTY), allowed_countries: 'DE,AT' }, printed: { country: 'AT' } },
    'a country that is not known': { plan: { ...vip(TWENTY), allowed_countries: 'DE' } }
  }
  for (const [what, given] of Object.entries(here)) assert.equal(shown(given)?.options.length, 2, what)
})

test('amounts are left out while not all is known that they depend on', () => {
  const { options, saved, rows } = shown({
    printed: { variants: {} },
    widget: { m_subtitle: 'Save {savings}' },
    chosen: 'vip'
  })!
  assert.deepEqual(
    options.map(({ total, subtitle }) => [total, subtitle]),
    [
      [null, null],
      [null, null]
    ]
  )
  assert.deepEqual([saved, rows], [null, [null]])
})

test('both plans are offered where both are on sale, and one takes the place of the other', () => {
  const elite = printedPlan(
    'elite',
    { label: 'Elite', perks: { discount: { ...TWENTY.discount, reduction: { type: 'percentage', percent: 30 } } } },
    'EUR'
  )
  const { options, chosen } = shown({ more: { svc_plan_settings2: elite }, items: [MEMBERSHIP, item(10_000)] })!
  assert.deepEqual(
    options.map(({ choice, total, fee }) => [choice, total, fee]),
    [
      ['vip', '€80.00', 'VIP: €29.00 / month'],
      ['elite', '€70.00', 'Elite: €29.00 / month'],
      ['payg', '€100.00', null]
    ]
  )
  assert.equal(chosen, 'vip')
})

test('a trial, another cadence and other words are said as they are', () => {
  const plan = vip(TWENTY, {
    interval: 'week',
    intervalCount: 2,
    trialType: 'days',
    trialDays: 7,
    trialPriceMinor: 100
  })
  const words = { pay_as_you_go: 'Ohne', trial_for: 'zuerst {duration} {amount}, dann' }
  const { options } = shown({ plan, printed: { locale: 'de', words } })!
  assert.equal(options[0]!.fee?.replaceAll('\u00a0', ' '), 'VIP: zuerst 7 Tage 1,00 €, dann 29,00 € / 2 Wochen')
  assert.equal(options[1]!.title, 'Ohne')
})

test('what a theme prints wrongly is as if it had printed nothing', () => {
  const read = (text: string) => readThemeData({ querySelector: () => ({ textContent: text }) })
  for (const text of ['', '{', '[]', '"x"', '{"cart":{}}', '{"cart":{"items":5}}']) assert.equal(read(text), null, text)
  assert.equal(readThemeData({ querySelector: () => null }), null)
  const data = read('{"cart":{"items":[]},"root":"/en","metafields":{"a":"{\\"b\\":1}","c":"x","d":7}}')!
  assert.deepEqual(
    [data.root, data.metafield('a'), data.metafield('c'), data.metafield('d')],
    ['/en/', { b: 1 }, {}, {}]
  )
})
