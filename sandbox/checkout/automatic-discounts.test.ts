// What automatic discounts take from carts: those of the shop, limited to segments of customers, and those that run an app's function.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { startSandbox, type TestShop } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

const VIP = 'svc: vip: active'
const START = '2026-01-01T00:00:00Z'

async function aSegment(shop: TestShop, query: string): Promise<string> {
  const { segment } = await shop.mutate(
    'mutation($query: String!) { segmentCreate(name: "Some", query: $query) { segment { id } userErrors { message } } }',
    { query }
  )
  return segment.id
}

async function automatic(shop: TestShop, kind: 'Basic' | 'FreeShipping', input: object): Promise<string> {
  const argument = kind === 'Basic' ? 'automaticBasicDiscount' : 'freeShippingAutomaticDiscount'
  const { automaticDiscountNode } = await shop.mutate(
    `mutation($d: DiscountAutomatic${kind}Input!) { discountAutomatic${kind}Create(${argument}: $d) {
       automaticDiscountNode { id } userErrors { field message } } }`,
    { d: { title: 'Automatic', startsAt: START, ...input } }
  )
  return automaticDiscountNode.id
}

async function aVip(shop: TestShop, tags = [VIP]) {
  const customer = await shop.aCustomer(`${tags.length}-${Math.random()}@example.com`)
  const add = 'mutation($id: ID!, $tags: [String!]!) { tagsAdd(id: $id, tags: $tags) { userErrors { message } } }'
  if (tags.length > 0) await shop.mutate(add, { id: customer.gid, tags })
  return customer
}

const cart = (shop: TestShop, customerId: string | null, lines: [string, number][], more: object = {}) =>
  shop.sandbox.controls.previewOrder({
    storeId: shop.storeId,
    customerId,
    lines: lines.map(([variant, quantity]) => ({ variant, quantity })),
    ...more
  })
const off = async (...args: Parameters<typeof cart>) => {
  const { totals } = await cart(...args)
  return totals.discounts.map(({ title, amountMinor }) => [title, amountMinor])
}
const idOf = async (shop: TestShop, kind: 'product' | 'collection', handle: string) =>
  (await shop.graphql(`{ ${kind}ByIdentifier(identifier: { handle: "${handle}" }) { id } }`)).data[
    `${kind}ByIdentifier`
  ].id

test('a percentage is for the members of a segment alone', async () => {
  const shop = await aShop()
  const [vip, other] = [await aVip(shop), await aVip(shop, [])]
  const segment = await aSegment(shop, `customer_tags CONTAINS '${VIP}'`)
  const id = await automatic(shop, 'Basic', {
    title: 'VIP price',
    context: { customerSegments: { add: [segment] } },
    customerGets: { value: { percentage: 0.1 }, items: { all: true } }
  })
  assert.deepEqual(await off(shop, vip.id, [['MUG-BLUE', 2]]), [['VIP price', 360]])
  assert.deepEqual(await off(shop, other.id, [['MUG-BLUE', 2]]), [])
  assert.deepEqual(await off(shop, null, [['MUG-BLUE', 2]]), [])

  const { id: orderId } = await shop.sandbox.controls.order({
    storeId: shop.storeId,
    customerId: vip.id,
    lines: [{ variant: 'MUG-BLUE' }]
  })
  const { data } = await shop.graphql(
    `query($order: ID!, $id: ID!) {
       order(id: $order) { totalPriceSet { shopMoney { amount } } discountApplications(first: 2) { nodes {
         ... on AutomaticDiscountApplication { title value { ... on PricingPercentageValue { percentage } } } } } }
       automaticDiscountNode(id: $id) { automaticDiscount { ... on DiscountAutomaticBasic { asyncUsageCount } } } }`,
    { order: `gid://platform/Order/${orderId}`, id }
  )
  assert.equal(data.order.totalPriceSet.shopMoney.amount, '16.2')
  assert.deepEqual(data.order.discountApplications.nodes, [{ title: 'VIP price', value: { percentage: 10 } }])
  assert.equal(data.automaticDiscountNode.automaticDiscount.asyncUsageCount, 1)

  await shop.mutate(
    'mutation($id: ID!) { discountAutomaticDeactivate(id: $id) { automaticDiscountNode { id } userErrors { message } } }',
    { id }
  )
  assert.deepEqual(await off(shop, vip.id, [['MUG-BLUE', 2]]), [])
})

test('products, collections and fixed amounts reduce their lines; of two on one line the better one counts', async () => {
  const shop = await aShop()
  const [mug, ceramics] = [await idOf(shop, 'product', 'stoneware-mug'), await idOf(shop, 'collection', 'ceramics')]
  const together = { combinesWith: { productDiscounts: true } }
  await automatic(shop, 'Basic', {
    title: 'Mugs',
    customerGets: {
      value: { discountAmount: { amount: '5.00', appliesOnEachItem: true } },
      items: { products: { productsToAdd: [mug] } }
    },
    ...together
  })
  await automatic(shop, 'Basic', {
    title: 'Ceramics',
    customerGets: { value: { percentage: 0.1 }, items: { collections: { add: [ceramics] } } },
    ...together
  })
  const lines: [string, number][] = [
    ['MUG-BLUE', 2],
    ['BOWL', 1],
    ['DRIPPER', 1]
  ]
  assert.deepEqual(await off(shop, null, lines), [
    ['Mugs', 1000],
    ['Ceramics', 220]
  ])
})

test('discounts that do not go together: the one that takes most; a code goes before one that it does not go with', async () => {
  const shop = await aShop()
  const someone = await aVip(shop, [])
  const all = { items: { all: true } }
  await automatic(shop, 'Basic', { title: 'Small', customerGets: { value: { percentage: 0.05 }, ...all } })
  await automatic(shop, 'Basic', { title: 'Large', customerGets: { value: { percentage: 0.2 }, ...all } })
  await automatic(shop, 'FreeShipping', {
    title: 'Shipped free',
    destination: { all: true },
    combinesWith: { orderDiscounts: true },
    minimumRequirement: { subtotal: { greaterThanOrEqualToSubtotal: '40.00' } }
  })
  const shipped = { shipping: '4.90' }
  assert.deepEqual(await off(shop, someone.id, [['GRINDER', 1]], shipped), [['Large', 1780]])
  await shop.mutate(
    `mutation($d: DiscountCodeBasicInput!) { discountCodeBasicCreate(basicCodeDiscount: $d) { userErrors { message } } }`,
    {
      d: {
        title: 'Code',
        code: 'ONE',
        startsAt: START,
        customerGets: { value: { discountAmount: { amount: '1.00' } }, ...all },
        combinesWith: { shippingDiscounts: true }
      }
    }
  )
  assert.deepEqual(await off(shop, someone.id, [['GRINDER', 1]], { ...shipped, codes: ['ONE'] }), [
    ['Shipped free', 490],
    ['Code', 100]
  ])
  assert.deepEqual(await off(shop, someone.id, [['PAPER-100', 1]], { ...shipped, codes: ['ONE'] }), [['Code', 100]])
})

test('free shipping asks for a quantity, a country and a price of the shipping', async () => {
  const shop = await aShop()
  await automatic(shop, 'FreeShipping', {
    title: 'Free',
    destination: { countries: { add: ['US'] } },
    maximumShippingPrice: '10.00',
    minimumRequirement: { quantity: { greaterThanOrEqualToQuantity: '3' } }
  })
  const of = (quantity: number, more: object) => off(shop, null, [['BOWL', quantity]], { country: 'US', ...more })
  assert.deepEqual(await of(3, { shipping: '4.90' }), [['Free', 490]])
  assert.deepEqual(await of(2, { shipping: '4.90' }), [])
  assert.deepEqual(await of(3, { shipping: '14.90' }), [])
  assert.deepEqual(await of(3, { shipping: '4.90', country: 'DE' }), [])
})

test('subscriptions are reduced only by discounts that say so', async () => {
  const shop = await aShop()
  await shop.aPlan()
  const someone = await aVip(shop, [])
  const gets = { value: { percentage: 0.5 }, items: { all: true } }
  const id = await automatic(shop, 'Basic', { title: 'Half', customerGets: gets })
  const { controls } = shop.sandbox
  const preview = async () =>
    (
      await controls.previewOrder({
        storeId: shop.storeId,
        customerId: someone.id,
        lines: [{ plan: 'Monthly VIP' }, { variant: 'BOWL' }]
      })
    ).totals.lines.map(({ discountMinor }) => discountMinor)
  assert.deepEqual(await preview(), [0, 1100])
  await shop.mutate(
    `mutation($id: ID!, $d: DiscountAutomaticBasicInput!) { discountAutomaticBasicUpdate(id: $id, automaticBasicDiscount: $d) {
       userErrors { message } } }`,
    { id, d: { customerGets: { appliesOnSubscription: true } } }
  )
  assert.deepEqual(await preview(), [1450, 1100])
})

test('a function gives member prices while an automatic discount of the app runs it, for whom that is', async () => {
  const shop = await aShop()
  const vip = await aVip(shop)
  const { id: ownerId } = (await shop.graphql('{ shop { id } }')).data.shop
  const settings = { status: 1, type: 1, tier_name: 'VIP', dp: 1, dt: 'percentage', dv: '10', dat: 'all', fs: 1 }
  await shop.mutate(
    'mutation($m: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $m) { userErrors { message } } }',
    { m: [{ ownerId, namespace: 'svc', key: 'svc_plan_settings', type: 'json', value: JSON.stringify(settings) }] }
  )
  const taken = () => off(shop, vip.id, [['BOWL', 1]], { shipping: '4.90' })
  const [price, shipping] = [
    ['VIP member price', 220],
    ['VIP free shipping', 490]
  ]
  assert.deepEqual(await taken(), [price, shipping], 'of a shop to which the app has brought nothing')
  const [functionId] = await shop.sandbox.controls.setFunctions({
    storeId: shop.storeId,
    functions: [{ handle: 'vip-discount' }]
  })
  assert.deepEqual(await taken(), [])
  const run = async (discountClasses: string[], more: object = {}) =>
    (
      await shop.mutate(
        `mutation($d: DiscountAutomaticAppInput!) { discountAutomaticAppCreate(automaticAppDiscount: $d) {
           automaticAppDiscount { discountId appDiscountType { functionId title } } userErrors { message } } }`,
        { d: { title: 'VIP', startsAt: START, functionHandle: 'vip-discount', discountClasses, ...more } }
      )
    ).automaticAppDiscount
  const made = await run(['PRODUCT'])
  assert.deepEqual(made.appDiscountType, { functionId, title: 'vip-discount' })
  assert.deepEqual(await taken(), [price])
  await run(['SHIPPING'])
  assert.deepEqual(await taken(), [price, shipping])
  await shop.mutate(
    'mutation($id: ID!) { discountAutomaticDelete(id: $id) { deletedAutomaticDiscountId userErrors { message } } }',
    { id: made.discountId }
  )
  assert.deepEqual(await taken(), [shipping])
  const segment = await aSegment(shop, "customer_tags CONTAINS 'somebody else'")
  await run(['PRODUCT'], { context: { customerSegments: { add: [segment] } } })
  assert.deepEqual(await taken(), [shipping])
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
