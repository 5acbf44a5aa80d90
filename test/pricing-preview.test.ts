// The price of a cart as operators preview it, for customers whose memberships are those of the service.
import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { OPERATOR_TOKEN, startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { run, json } = commandLine(service)

const MUGS = { product_id: '101', quantity: 2, price: '10.00' }
const percent = (value: number, more: object = {}) => ({ discount: { value, type: 'percentage', ...more } })

/** A store whose VIP plan gives 20 % and a welcome offer of 5.00, and whose Elite plan gives 30 %. */
async function aStore() {
  const store = await service.aStore()
  const [vip] = (await service.admin('GET', `${store.at}/plans`)).data
  await service.admin('PATCH', `${store.at}/plans/${vip.id}`, {
    perks: { ...percent(20), welcome_offer: { value: '5.00', type: 'fixed' } }
  })
  const elite = await service.admin('POST', `${store.at}/plans`, {
    name: 'Elite',
    type: 'elite',
    price: '79.00',
    interval: 'month',
    perks: percent(30)
  })
  const [subscriptionOf, change] = [
    async (customer: string) =>
      (await service.admin('GET', `${store.at}/subscriptions?customer_id=${customer}`)).data[0].id as string,
    (id: string, action: string, body: object = {}) =>
      service.admin('POST', `${store.at}/subscriptions/${id}/${action}`, body)
  ]
  return {
    ...store,
    vip,
    elite,
    subscriptionOf,
    change,
    preview: (body: object) => service.admin('POST', `${store.at}/pricing/preview`, body),
    /** Whose perks the mugs get: the tier, the discount and why. */
    async mugs(who: object) {
      const { tier, discount, lines } = await this.preview({ cart: { lines: [MUGS] }, ...who })
      return [tier, discount, lines[0].reasons[0].code]
    },
    refused: async (body: object) => {
      const response = await fetch(`${service.urls.public}/admin/api${store.at}/pricing/preview`, {
        method: 'POST',
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body)
      })
      const { error } = (await response.json()) as any
      return [response.status, error.message, ...error.details.map(({ field }: { field: string }) => field)]
    }
  }
}

test('a preview says what each line costs, and why', async () => {
  const store = await aStore()
  const customer = await store.member('ada@example.com')
  const price = await store.preview({
    customer: customer.customer.id,
    cart: {
      country: 'AT',
      shipping: { method: 'Standard', price: '5.00' },
      lines: [MUGS, { id: 'gift card', product_id: '102', price: 50, tags: ['no-vip-discount'] }]
    }
  })
  assert.deepEqual(price, {
    tier: 'vip',
    plan_id: store.vip.id,
    active_tiers: ['vip'],
    held_membership: true,
    currency: 'USD',
    subtotal: 70,
    discount: 4,
    total: 66,
    eligible_pieces: 2,
    lines: [
      {
        id: '1',
        product_id: '101',
        quantity: 2,
        price: 10,
        member_price: 8,
        discounts: [{ kind: 'member_price', label: 'VIP', pieces: 2, each: 2, amount: 4 }],
        discount: 4,
        total: 16,
        reasons: [
          {
            code: 'member_price',
            message: '20% off the price 10.00',
            details: { reduction: { percent: 20 }, base: 'price', base_price: 10 }
          }
        ]
      },
      {
        id: 'gift card',
        product_id: '102',
        quantity: 1,
        price: 50,
        member_price: 50,
        discounts: [],
        discount: 0,
        total: 50,
        reasons: [{ code: 'tagged_no_discount', message: 'the product is tagged NO-VIP-DISCOUNT', details: {} }]
      }
    ],
    welcome_offer: {
      line_id: null,
      reason: { code: 'no_membership_in_cart', message: 'the cart holds no membership', details: {} }
    },
    shipping: {
      is_free: false,
      method_name: null,
      message: null,
      discount: 0,
      reason: { code: 'no_free_shipping', message: 'the plan has no free shipping', details: {} }
    }
  })
})

test('perks are priced before they are saved, and wrong ones are named by their paths', async () => {
  const store = await aStore()
  const cart = { lines: [MUGS] }
  const { discount } = await store.preview({ cart, plan_id: store.vip.id, perks: percent(50) })
  assert.equal(discount, 10)
  assert.deepEqual(await store.mugs({ plan_id: store.vip.id }), ['vip', 4, 'member_price'])
  const refused = await store.refused({ cart, plan_id: store.vip.id, perks: percent(500) })
  assert.deepEqual([refused[0], refused.at(-1)], [400, 'perks.discount.value'])
  const [status, , field] = await store.refused({ cart, perks: percent(50) })
  assert.deepEqual([status, field], [400, 'perks'])
})

test('perks follow the membership: active, paused, ended; Elite before VIP', async () => {
  const store = await aStore()
  const { customer } = await store.member('ada@example.com')
  const who = { customer: customer.id }
  assert.deepEqual(await store.mugs({}), [null, 0, 'not_a_member'])
  assert.deepEqual(await store.mugs({ customer: (await store.customer('new@example.com')).id }), [
    null,
    0,
    'not_a_member'
  ])
  assert.deepEqual(await store.mugs({ customer: 'ADA@example.com' }), ['vip', 4, 'member_price'])
  const id = await store.subscriptionOf(customer.id)
  await store.change(id, 'pause')
  assert.deepEqual(await store.mugs(who), [null, 0, 'not_a_member'])
  await store.change(id, 'resume')
  // The member's card is refused: in dunning the membership is still active.
  await store.card(customer.id, 'insufficient_funds')
  await store.advance({ by: 'P29D' })
  const { data } = await service.admin('GET', `${store.at}/billing-attempts`)
  assert.equal(data[0].status, 'failed')
  assert.deepEqual(await store.mugs(who), ['vip', 4, 'member_price'])
  await store.card(customer.id, 'success')
  await service.admin('POST', `${store.at}/sandbox/joins`, { customer: customer.id, plan: 'Elite' })
  assert.deepEqual(await store.mugs(who), ['elite', 6, 'member_price'])
  await service.admin('PATCH', `${store.at}/plans/${store.elite.id}`, { status: 'disabled' })
  assert.deepEqual(await store.mugs(who), ['vip', 4, 'member_price'])
})

test('the receiver of a gift is the member, and has held a membership as the giver has', async () => {
  const store = await aStore()
  const giver = await store.member('giver@example.com')
  const receiver = await store.customer('receiver@example.com')
  const id = await store.subscriptionOf(giver.customer.id)
  await store.change(id, 'gift', { receiver: receiver.id })
  assert.deepEqual(await store.mugs({ customer: giver.customer.id }), [null, 0, 'not_a_member'])
  assert.deepEqual(await store.mugs({ customer: receiver.id }), ['vip', 4, 'member_price'])
  const joining = { lines: [MUGS, { product_id: store.vip.product_ids[0], price: 29 }] }
  const offer = async (who: object) => (await store.preview({ cart: joining, ...who })).welcome_offer.reason.code
  assert.equal(await offer({ customer: giver.customer.id }), 'held_membership')
  await store.change(id, 'cancel')
  assert.equal(await offer({ customer: receiver.id }), 'held_membership')
  assert.equal(await offer({ customer: (await store.customer('new@example.com')).id }), 'welcome_offer')
})

test('a cart that holds the membership gets its perks and the welcome offer; its own line is not discounted', async () => {
  const store = await aStore()
  const lines = [{ ...MUGS }, { product_id: `gid://platform/Product/${store.vip.product_ids[0]}`, price: '29.00' }]
  const { tier, lines: priced, ...price } = await store.preview({ cart: { lines } })
  assert.equal(tier, 'vip')
  assert.deepEqual(
    priced.map(({ discount, reasons }: any) => [discount, ...reasons.map(({ code }: any) => code)]),
    [
      [9, 'member_price', 'welcome_offer'],
      [0, 'membership']
    ]
  )
  assert.deepEqual(price.welcome_offer, {
    line_id: '1',
    reason: {
      code: 'welcome_offer',
      message: 'welcome offer: 5.00 off one piece of the lowest-priced product',
      details: { reduction: { amount: 5 } }
    }
  })
  assert.deepEqual([price.active_tiers, price.held_membership, price.total], [[], false, 40])
})

test('a plan is tried before it is sold, and a subscription of products gives no perks', async () => {
  const store = await aStore()
  const draft = await service.admin('POST', `${store.at}/plans`, {
    name: 'Draft',
    type: 'vip',
    price: 5,
    interval: 'month',
    status: 'disabled',
    perks: percent(50)
  })
  assert.deepEqual(await store.mugs({ plan_id: draft.id }), ['vip', 10, 'member_price'])
  assert.deepEqual(await store.mugs({ plan_id: store.elite.id }), ['elite', 6, 'member_price'])
  const box = await service.admin('POST', `${store.at}/plans`, {
    name: 'Box',
    type: 'product',
    price: 5,
    interval: 'month',
    product_ids: [store.vip.product_ids[0]]
  })
  const { customer } = await store.member('box@example.com', 'Box')
  assert.deepEqual(await store.mugs({ customer: customer.id }), [null, 0, 'not_a_member'])
  const joining = { lines: [MUGS, { product_id: store.elite.product_ids[0], price: 79 }] }
  const { held_membership: held } = await store.preview({ cart: joining, customer: customer.id })
  assert.equal(held, false)
  const plan = 'plan_id must be the id of a membership plan of this store'
  assert.deepEqual(await store.refused({ cart: { lines: [MUGS] }, plan_id: box.id }), [400, plan, 'plan_id'])
  const other = await aStore()
  assert.deepEqual(await store.refused({ cart: { lines: [MUGS] }, plan_id: other.vip.id }), [400, plan, 'plan_id'])
})

test('a refusal names the field', async () => {
  const store = await aStore()
  const cart = { lines: [MUGS] }
  assert.deepEqual(await store.refused({ cart: { lines: [{ ...MUGS, price: '9.999' }, { price: 1 }] } }), [
    400,
    'cart.lines[0].price must have at most 2 decimals in USD; cart.lines[1].product_id must be a product id of the platform, as a text of digits or as a global id',
    'cart.lines[0].price',
    'cart.lines[1].product_id'
  ])
  assert.deepEqual(await store.refused({}), [
    400,
    'cart is required and must be an object with lines, charge, country, shipping',
    'cart'
  ])
  assert.deepEqual(await store.refused({ cart, customer: 'cust_1', plan_id: store.vip.id }), [
    400,
    'plan_id is accepted only without customer, whose plans are known',
    'plan_id'
  ])
  assert.deepEqual(await store.refused({ cart, customer: '99' }), [
    400,
    'customer must be a customer of the store: the platform has no such customer',
    'customer'
  ])
  const { customer } = await (await aStore()).member('ada@example.com')
  const [status] = await store.refused({ cart, customer: 'ada@example.com' })
  assert.equal(status, 400, `a customer of another store: ${customer.id}`)
})

test('perennial pricing preview explains a cart of a file', async () => {
  const store = await aStore()
  const { customer } = await store.member('ada@example.com')
  const folder = await mkdtemp(join(tmpdir(), 'pricing-'))
  const file = join(folder, 'cart.json')
  const cart = { lines: [MUGS, { product_id: '102', price: 50, tags: ['NO-VIP-DISCOUNT'] }] }
  await writeFile(file, JSON.stringify(cart))
  const preview = ['pricing', 'preview', '--store', store.domain, '--cart', file]
  assert.deepEqual(
    await json(...preview, '--customer', customer.id),
    await store.preview({ cart, customer: customer.id })
  )
  assert.equal((await json(...preview, '--plan', store.elite.id)).discount, 6)
  const { out, code } = await run([...preview, '--customer', 'ada@example.com'])
  assert.equal(code, 0)
  assert.match(out, /^tier +vip\n/)
  assert.match(out, /\nLINE +PRODUCT ID +QUANTITY +PRICE +MEMBER PRICE +DISCOUNT +TOTAL +WHY\n/)
  assert.match(out, /\n1 +101 +2 +10 +8 +4 +16 +20% off the price 10.00\n/)
  assert.match(out, /\n2 +102 +1 +50 +50 +0 +50 +the product is tagged NO-VIP-DISCOUNT\n/)
  assert.match(out, /\nWelcome offer: none \(the cart holds no membership\)\n/)
  assert.match(out, /\nShipping: not free \(the plan has no free shipping\)\n$/)

  await writeFile(file, JSON.stringify({ lines: [{ ...MUGS, price: -1 }] }))
  const wrong = await run(preview)
  assert.deepEqual(
    [wrong.code, wrong.err],
    [1, 'perennial: --cart (cart.lines[0].price) must be an amount of 0 or more\n']
  )
  await writeFile(file, JSON.stringify(cart))
  const missing = await run(preview.slice(0, 4))
  assert.equal(missing.err, 'perennial: --cart is required: a file with the cart as one JSON object\n')
  const both = await run([...preview, '--plan', store.vip.id, '--customer', customer.id])
  assert.match(both.err, /^perennial: --plan \(plan_id\) is accepted only without --customer, whose plans are known/m)
})
