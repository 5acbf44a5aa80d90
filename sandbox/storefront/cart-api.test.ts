// The cart API of the shop, as themes call it, in the real platform's form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { request } from 'undici'
import { testDatabase } from '../../test/database.ts'
import { startSandbox, type TestShop } from '../start-sandbox.test-helper.ts'
import { describePlan, variantIds } from './described-shop.test-helper.ts'

const { db } = await testDatabase()
const { aShop, agent } = await startSandbox(db)

/** A browser that calls the API with its cookies. */
function aBrowser(shop: TestShop) {
  let cookie = ''
  return async (
    path: string,
    body?: object,
    headers: Record<string, string> = {}
  ): Promise<{ status: number; body: any }> => {
    const response = await request(`${shop.base}${path}`, {
      method: body ? 'POST' : 'GET',
      dispatcher: agent,
      headers: { cookie, ...(body && { 'content-type': 'application/json' }), ...headers },
      body: body && JSON.stringify(body)
    })
    for (const one of [response.headers['set-cookie'] ?? []].flat()) cookie = one.split(';')[0]!
    const text = await response.body.text()
    return { status: response.statusCode, body: text === '' ? null : JSON.parse(text) }
  }
}

/** As the cart API has them. */
async function variantNumbers(shop: TestShop) {
  const idOf = await variantIds(shop)
  return (sku: string): number => Number(idOf(sku))
}

/** The one plan of a shop, by its numbers. */
async function planOf(shop: TestShop) {
  const { data } = await shop.graphql(
    `{ sellingPlanGroups(first: 1) { nodes { sellingPlans(first: 1) { nodes { id } }
       products(first: 1) { nodes { variants(first: 1) { nodes { legacyResourceId } } } } } } }`
  )
  const [group] = data.sellingPlanGroups.nodes
  return {
    id: Number(group.products.nodes[0].variants.nodes[0].legacyResourceId),
    selling_plan: Number(group.sellingPlans.nodes[0].id.split('/').at(-1))
  }
}

const lines = ({ body }: { body: any }) =>
  body.items.map(({ variant_id, quantity, selling_plan_allocation }: any) => [
    variant_id,
    quantity,
    selling_plan_allocation?.selling_plan.id ?? null
  ])

test('a cart is read, filled, changed, noted on and emptied', async () => {
  const shop = await aShop()
  const ask = aBrowser(shop)
  const idOf = await variantNumbers(shop)
  const { body: empty } = await ask('/cart.js')
  const { token, ...none } = empty
  assert.match(token, /^[\w-]{16}$/)
  assert.deepEqual(none, {
    ...{ note: null, attributes: {}, original_total_price: 0, total_price: 0, total_discount: 0, total_weight: 0 },
    ...{ item_count: 0, items: [], requires_shipping: false, currency: 'USD', items_subtotal_price: 0 },
    cart_level_discount_applications: []
  })
  const added = await ask('/cart/add.js', {
    items: [{ id: idOf('MUG-BLUE'), quantity: 2 }, { id: String(idOf('GRINDER')) }]
  })
  assert.deepEqual(lines(added), [
    [idOf('MUG-BLUE'), 2, null],
    [idOf('GRINDER'), 1, null]
  ])
  const [mug] = added.body.items
  assert.match(mug.key, new RegExp(`^${idOf('MUG-BLUE')}:[0-9a-f]{32}$`))
  assert.deepEqual(
    { ...mug, key: '', product_id: 0 },
    {
      ...{ id: idOf('MUG-BLUE'), properties: {}, quantity: 2, variant_id: idOf('MUG-BLUE'), key: '' },
      ...{ title: 'Stoneware mug - Blue', price: 1800, original_price: 1800, discounted_price: 1800, line_price: 3600 },
      ...{ original_line_price: 3600, total_discount: 0, discounts: [], sku: 'MUG-BLUE', grams: 0, vendor: mug.vendor },
      ...{ taxable: true, product_id: 0, product_has_only_default_variant: false, gift_card: false, final_price: 1800 },
      ...{ final_line_price: 3600, url: `/products/stoneware-mug?variant=${idOf('MUG-BLUE')}`, image: null },
      featured_image: { alt: null, aspect_ratio: null, height: null, url: null, width: null },
      ...{
        handle: 'stoneware-mug',
        requires_shipping: true,
        product_type: 'Tableware',
        product_title: 'Stoneware mug'
      },
      ...{ product_description: mug.product_description, variant_title: 'Blue', variant_options: ['Blue'] },
      options_with_values: [{ name: 'Title', value: 'Blue' }],
      ...{ line_level_discount_allocations: [], line_level_total_discount: 0 }
    }
  )
  // One item alone is answered with itself.
  assert.equal((await ask('/cart/add.js', { id: idOf('MUG-BLUE') })).body.quantity, 3)
  const byKey = await ask('/cart/change.js', { id: mug.key, quantity: 1 })
  assert.deepEqual(lines(byKey), [
    [idOf('MUG-BLUE'), 1, null],
    [idOf('GRINDER'), 1, null]
  ])
  assert.deepEqual([byKey.body.item_count, byKey.body.total_price], [2, 1800 + 8900])
  assert.deepEqual(lines(await ask('/cart/change.js', { line: 1, quantity: 0 })), [[idOf('GRINDER'), 1, null]])
  const updates = { [idOf('GRINDER')]: 2, [idOf('KETTLE')]: 1 }
  assert.deepEqual(lines(await ask('/cart/update.js', { updates })), [
    [idOf('GRINDER'), 2, null],
    [idOf('KETTLE'), 1, null]
  ])
  assert.deepEqual(lines(await ask('/cart/update.js', { updates: [0, 3] })), [[idOf('KETTLE'), 3, null]])
  const noted = await ask('/cart/update.js', { attributes: { gift: 'yes', wrap: 'no' }, note: 'Ring twice' })
  assert.deepEqual([noted.body.attributes, noted.body.note], [{ gift: 'yes', wrap: 'no' }, 'Ring twice'])
  assert.deepEqual((await ask('/cart/update.js', { attributes: { gift: '' } })).body.attributes, { wrap: 'no' })
  const cleared = await ask('/cart/clear.js', {})
  assert.deepEqual([cleared.body.items, cleared.body.attributes], [[], { wrap: 'no' }])
})

test('a selling plan makes a line of its own, once, and is taken off or put on by a change', async () => {
  const shop = await aShop()
  const ask = aBrowser(shop)
  await shop.aPlan()
  const membership = await planOf(shop)
  const sold = await ask('/cart/add.js', { items: [{ ...membership, quantity: 1 }] })
  assert.deepEqual(lines(sold), [[membership.id, 1, membership.selling_plan]])
  const { selling_plan_allocation: allocation, url, product_type: type } = sold.body.items[0]
  assert.deepEqual([allocation.price, allocation.compare_at_price, allocation.per_delivery_price], [2900, null, 2900])
  assert.deepEqual([type, url.includes(`selling_plan=${membership.selling_plan}`)], ['Membership', true])
  const again = await ask('/cart/add.js', membership)
  assert.deepEqual([again.status, again.body.description], [422, "You can't add more VIP to the cart."])
  const alone = await ask('/cart/change.js', { line: 1, quantity: 1, selling_plan: null })
  assert.deepEqual([alone.status, alone.body.description], [422, 'Variant can only be purchased with a selling plan'])
  assert.deepEqual(lines(await ask('/cart.js')), [[membership.id, 1, membership.selling_plan]])
  assert.deepEqual(lines(await ask('/cart/change.js', { id: sold.body.items[0].key, quantity: 0 })), [])
})

test('prices of members are discounts of lines, and the key of a line changes with them', async () => {
  const shop = await aShop()
  const ask = aBrowser(shop)
  const idOf = await variantNumbers(shop)
  await describePlan(shop)
  const before = (await ask('/cart/add.js', { id: idOf('MUG-BLUE'), quantity: 2 })).body
  await ask('/cart/add.js', await planOf(shop))
  const { items, total_discount: discount, total_price: total } = (await ask('/cart.js')).body
  const mug = items.find(({ variant_id }: any) => variant_id === idOf('MUG-BLUE'))
  assert.deepEqual([mug.price, mug.final_price, mug.final_line_price, mug.total_discount], [1800, 1440, 2880, 720])
  assert.deepEqual(mug.discounts, [{ amount: 720, title: 'VIP member price' }])
  const [{ amount, discount_application: application }] = mug.line_level_discount_allocations
  assert.deepEqual([amount, application.type, application.total_allocated_amount], [720, 'automatic', 720])
  assert.deepEqual([discount, total], [720, 2880 + 2900])
  assert.notEqual(mug.key, before.key)
})

test('amounts are in hundredths of a currency without them', async () => {
  const shop = await aShop({ currency: 'JPY' })
  const ask = aBrowser(shop)
  const idOf = await variantNumbers(shop)
  const { body } = await ask('/cart/add.js', { id: idOf('MUG-BLUE') })
  // A thousand yen are no 10.00.
  assert.equal(body.price, 180_000)
})

test('what the real platform refuses is refused in its words', async () => {
  const shop = await aShop()
  const ask = aBrowser(shop)
  const idOf = await variantNumbers(shop)
  const refused = async (path: string, body: object, status: number, answer: object) => {
    const { body: given, status: code } = await ask(path, body)
    assert.deepEqual([code, given], [status, answer])
  }
  const NO_LINE = 'no valid id or line parameter'
  const noLine = { status: 'bad_request', message: NO_LINE, description: NO_LINE }
  const error = (status: number, description: string) => ({ status, message: 'Cart Error', description })
  await refused('/cart/change.js', { id: idOf('KETTLE'), quantity: 1 }, 400, noLine)
  await refused('/cart/change.js', { line: 3, quantity: 1 }, 400, noLine)
  for (const id of [1, 'x', '', null]) {
    await refused('/cart/add.js', { items: [{ id }] }, 404, error(404, 'Cannot find variant'))
  }
  await refused(
    '/cart/add.js',
    { id: idOf('KETTLE'), selling_plan: 5 },
    422,
    error(422, 'The selling plan is not available for this variant')
  )
  await refused(
    '/cart/add.js',
    { id: idOf('KETTLE'), quantity: -1 },
    422,
    error(422, 'Quantity must be a whole number of 0 or more')
  )
  await refused(
    '/cart/update.js',
    { attributes: { long: 'x'.repeat(900) } },
    422,
    error(422, 'attributes must be at most 800 characters: the cart is kept in a cookie')
  )
  const foreign = await ask('/cart/add.js', { id: idOf('KETTLE') }, { origin: 'https://elsewhere.example' })
  assert.equal(foreign.status, 403)
  assert.deepEqual((await ask('/cart.js')).body.items, [])
})
