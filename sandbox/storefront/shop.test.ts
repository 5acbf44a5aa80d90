// The catalogue, the cart and the checkout of the storefront, as a browser without scripts uses them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { request } from 'undici'
import { testDatabase } from '../../test/database.ts'
import { startSandbox, type TestShop } from '../start-sandbox.test-helper.ts'
import { describePlan, variantIds } from './described-shop.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs, agent } = await startSandbox(db)

/** A browser with its cookies. A form is answered with a redirect, whose page is returned. */
function aBrowser(shop: TestShop) {
  const cookies = new Map<string, string>()
  const call = async (method: 'GET' | 'POST', path: string, fields?: Record<string, string>) => {
    const response = await request(`${shop.base}${path}`, {
      method,
      dispatcher: agent,
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(fields && { 'content-type': 'application/x-www-form-urlencoded' })
      },
      body: fields && new URLSearchParams(fields).toString()
    })
    for (const one of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!
      if (value) cookies.set(name!, value)
      else cookies.delete(name!)
    }
    return {
      status: response.statusCode,
      to: String(response.headers.location ?? ''),
      text: await response.body.text()
    }
  }
  const open = async (path: string) => {
    const { status, text } = await call('GET', path)
    assert.equal(status, 200, text)
    // What is not shown without scripts: what is printed for them, and the side cart.
    const shown = text.replace(/<(script|dialog)\b.*?<\/\1>/gs, '')
    return shown.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  }
  const submit = async (path: string, fields: Record<string, string>) => {
    const { status, to } = await call('POST', path, fields)
    assert.equal(status, 303)
    const at = to.slice(to.indexOf(shop.shop.domain) + shop.shop.domain.length) || '/'
    return { at, text: await open(at) }
  }
  return { open, submit, raw: (path: string) => call('GET', path) }
}

async function aMemberWith(shop: TestShop, tags: string[]) {
  const customer = await shop.aCustomer()
  await shop.mutate(
    'mutation($id: ID!, $tags: [String!]!) { tagsAdd(id: $id, tags: $tags) { userErrors { message } } }',
    {
      id: customer.gid,
      tags
    }
  )
  return customer
}

test('the catalogue shows reduced prices, and a cart is filled, changed and emptied', async () => {
  const shop = await aShop()
  const browser = aBrowser(shop)
  const idOf = await variantIds(shop)
  const page = await browser.open('/products')
  assert.match(page, /Hand grinder \$89\.00 \$109\.00/)
  assert.doesNotMatch(page, /member price/)
  assert.match(await browser.open('/cart'), /Your cart is empty/)
  assert.match(await browser.open('/checkout'), /Your cart is empty/)
  const added = await browser.submit('/cart/add', { variant: idOf('MUG-BLUE'), quantity: '2' })
  assert.equal(added.at, '/cart')
  assert.match(added.text, /Stoneware mug Blue .*\$36\.00 members may pay less/)
  const two = await browser.submit('/cart/add', { variant: idOf('GRINDER') })
  assert.match(two.text, /Cart \(3\).*Total \$125\.00/)
  const fewer = await browser.submit('/cart', { [`q_${idOf('MUG-BLUE')}`]: '1', [`q_${idOf('GRINDER')}`]: '0' })
  assert.match(fewer.text, /Cart \(1\).*Total \$18\.00/)
  const refused = await browser.submit('/cart', { [`q_${idOf('MUG-BLUE')}`]: '100' })
  assert.match(refused.text, /quantity must be a whole number from 0 to 99/)
  assert.match(refused.text, /Cart \(1\)/)
  assert.match((await browser.submit('/cart/add', { variant: '999' })).text, /Your cart is empty|Cart \(1\)/)
})

test('where the discounts of the shop give the prices, the cart says which does, and nothing of what only a function goes by', async () => {
  const shop = await aShop()
  await describePlan(shop)
  const tag = 'SVC: VIP: Active'
  const { segment } = await shop.mutate(
    'mutation($query: String!) { segmentCreate(name: "VIP", query: $query) { segment { id } userErrors { message } } }',
    { query: `customer_tags CONTAINS '${tag}'` }
  )
  await shop.mutate(
    `mutation($d: DiscountAutomaticBasicInput!) { discountAutomaticBasicCreate(automaticBasicDiscount: $d) { userErrors { message } } }`,
    {
      d: {
        title: 'VIP: member prices',
        startsAt: '2026-01-01T00:00:00Z',
        context: { customerSegments: { add: [segment.id] } },
        customerGets: { value: { percentage: 0.2 }, items: { all: true } }
      }
    }
  )
  const customer = await aMemberWith(shop, [tag])
  const browser = aBrowser(shop)
  const idOf = await variantIds(shop)
  await browser.submit('/session', { customer: customer.id })
  for (const sku of ['MICROLOT-150', 'TOTE']) await browser.submit('/cart/add', { variant: idOf(sku) })
  for (const page of ['/cart', '/checkout']) {
    const text = await browser.open(page)
    assert.match(text, /Micro lot, numbered VIP: member prices .{0,60}\$45\.00 \$45\.00 \$36\.00/)
    assert.match(text, /Tote bag for members VIP: member prices .{0,60}\$15\.00 \$12\.00/)
    assert.doesNotMatch(text, /no member price|free for members/)
  }
})

test('a member sees member prices with their reasons, and pays them', async () => {
  const shop = await aShop()
  await describePlan(shop, {
    fs: 1,
    fs_threshold_type: 'subtotal',
    fs_threshold_value: '50.00',
    fs_message: 'Free for VIP'
  })
  const customer = await aMemberWith(shop, ['SVC: VIP: Active'])
  const browser = aBrowser(shop)
  const idOf = await variantIds(shop)
  await browser.submit('/session', { customer: customer.id })
  assert.match(await browser.open('/products'), /Gooseneck kettle \$55\.20 member price, instead of \$69\.00/)
  for (const sku of ['KETTLE', 'MICROLOT-150', 'TOTE']) await browser.submit('/cart/add', { variant: idOf(sku) })
  const cart = await browser.open('/cart')
  assert.match(cart, /Gooseneck kettle VIP .{1,80} 20% off the price \$69\.00/)
  assert.match(cart, /Micro lot, numbered .{1,80} no member price for this product/)
  assert.match(cart, /Tote bag for members VIP .{1,80} free for members/)
  assert.match(cart, /Total \$100\.20/)
  const checkout = await browser.open('/checkout')
  assert.match(checkout, /Shipping, standard \$5\.00 \(free shipping\) Free for VIP -\$5\.00/)
  const { at, text } = await browser.submit('/checkout', { do: 'pay', country: 'US', delivery: 'Monday' })
  assert.equal(at, '/')
  assert.match(text, /Thank you! Your order is #1001\./)
  const { data } = await shop.graphql(
    `{ orders(first: 1) { nodes { customAttributes { key value } totalPriceSet { shopMoney { amount } }
       discountApplications(first: 5) { nodes { __typename targetType ... on AutomaticDiscountApplication { title } } }
       shippingLine { originalPriceSet { shopMoney { amount } } discountedPriceSet { shopMoney { amount } } } } } }`
  )
  assert.deepEqual(data.orders.nodes, [
    {
      customAttributes: [{ key: 'deliverySchedule', value: 'Monday' }],
      // 55.20 and 45.00 with 8 % tax; the tote and the shipping are free.
      totalPriceSet: { shopMoney: { amount: '108.22' } },
      discountApplications: {
        nodes: [
          { __typename: 'AutomaticDiscountApplication', targetType: 'LINE_ITEM', title: 'VIP member price' },
          { __typename: 'AutomaticDiscountApplication', targetType: 'SHIPPING_LINE', title: 'Free for VIP' }
        ]
      },
      shippingLine: {
        originalPriceSet: { shopMoney: { amount: '5.0' } },
        discountedPriceSet: { shopMoney: { amount: '0.0' } }
      }
    }
  ])
  assert.match(await browser.open('/cart'), /Your cart is empty/)
})

test('a membership in the cart has its perks at once, and the welcome offer on the cheapest product', async () => {
  const shop = await aShop()
  await describePlan(shop, { wo: 1, wo_v: '50', wo_t: 'percentage', wo_at: 'all' })
  const browser = aBrowser(shop)
  const idOf = await variantIds(shop)
  await browser.submit('/cart/add', { variant: idOf('BOWL') })
  const { data } = await shop.graphql(
    '{ sellingPlanGroups(first: 1) { nodes { sellingPlans(first: 1) { nodes { id } } } } }'
  )
  const plan = data.sellingPlanGroups.nodes[0].sellingPlans.nodes[0].id.split('/').at(-1)
  const { text } = await browser.submit('/cart/add', { plan })
  // 29.00 for the plan; 22.00 less 20 % is 17.60, and half of that is 8.80.
  assert.match(text, /Products \$51\.00 VIP member price -\$4\.40 VIP welcome offer -\$8\.80 Total \$37\.80/)
  assert.match(await browser.open('/checkout'), /Log in to buy/)
  await browser.submit('/session', { email: 'new@example.com', first_name: 'New' })
  const bought = await browser.submit('/checkout', { do: 'pay', country: 'US' })
  assert.match(bought.text, /Your order is #1001\. Your membership has started/)
})

test('settings that are no settings reduce nothing', async () => {
  const shop = await aShop()
  await describePlan(shop, { dv: 'a lot' })
  const customer = await aMemberWith(shop, ['svc: vip: active'])
  const browser = aBrowser(shop)
  await browser.submit('/session', { customer: customer.id })
  assert.doesNotMatch(await browser.open('/products'), /member price/)
})

test('the cart says what its memberships cost', async () => {
  const shop = await aShop()
  await shop.aPlan()
  const browser = aBrowser(shop)
  const idOf = await variantIds(shop)
  const { text } = await browser.submit('/cart/add', { variant: idOf('BOWL') })
  assert.match(text, /With a membership VIP \$29\.00 every month Monthly VIP Add to cart/)
})

/** The app's plan of a product that the shop sells. */
async function aSubscriptionOf(shop: TestShop, title: string) {
  const { data } = await shop.graphql('query($q: String!) { products(first: 1, query: $q) { nodes { id } } }', {
    q: `title:'${title}'`
  })
  const monthly = { recurring: { interval: 'MONTH', intervalCount: 1 } }
  const plan = {
    name: title,
    options: ['Every month'],
    category: 'SUBSCRIPTION',
    billingPolicy: monthly,
    deliveryPolicy: monthly,
    pricingPolicies: [{ fixed: { adjustmentType: 'PERCENTAGE', adjustmentValue: { percentage: 0 } } }]
  }
  await shop.mutate(
    `mutation($input: SellingPlanGroupInput!, $resources: SellingPlanGroupResourceInput) {
       sellingPlanGroupCreate(input: $input, resources: $resources) { userErrors { field message } } }`,
    {
      input: { name: title, options: ['Billed'], sellingPlansToCreate: [plan] },
      resources: { productIds: [data.products.nodes[0].id] }
    }
  )
}

test('a subscription of a product is no membership, and its product is still sold once', async () => {
  const shop = await aShop()
  await shop.aPlan()
  await aSubscriptionOf(shop, 'Tea bowl')
  const { id } = await shop.aCustomer()
  const browser = aBrowser(shop)
  assert.match(
    await browser.open('/'),
    /Memberships VIP .*Log in to join .*Subscriptions Tea bowl .*Log in to subscribe/
  )
  assert.match(await browser.open('/products'), /Tea bowl/)
  const idOf = await variantIds(shop)
  const { text } = await browser.submit('/cart/add', { variant: idOf('BOWL') })
  assert.match(
    text,
    /With a membership VIP \$29\.00 every month Monthly VIP .*With a subscription Tea bowl \$22\.00 every month Add to cart/
  )
  await browser.submit('/session', { customer: id })
  const home = await browser.open('/')
  assert.match(home, /Join VIP Subscriptions Tea bowl \$22\.00 every month Subscribe to Tea bowl/)
  const plan = await shop.graphql(
    '{ sellingPlanGroups(first: 9) { nodes { name sellingPlans(first: 1) { nodes { id } } } } }'
  )
  const group = plan.data.sellingPlanGroups.nodes.find(({ name }: { name: string }) => name === 'Tea bowl')
  const joined = await browser.submit('/join', { plan: group.sellingPlans.nodes[0].id.split('/').at(-1) })
  assert.match(joined.text, /Welcome! Your subscription has started/)
  assert.match(joined.text, /You have no membership yet.*My subscriptions Tea bowl active .*Cancel this subscription/)
  assert.match(joined.text, /Subscriptions Tea bowl \$22\.00 every month You have this subscription/)
})

test('credit that the customer does not have is refused as soon as the totals are updated, and the rest applies', async () => {
  const shop = await aShop()
  const customer = await shop.aCustomer()
  const credit = `mutation($id: ID!) { storeCreditAccountCredit(id: $id, creditInput: { creditAmount: { amount: "7.77", currencyCode: USD } }) {
    userErrors { message } } }`
  await shop.mutate(credit, { id: customer.gid })
  const basic = { title: 'SAVE', code: 'SAVE', startsAt: '2020-01-01T00:00:00Z', context: { all: 'ALL' } }
  await shop.mutate(
    'mutation($d: DiscountCodeBasicInput!) { discountCodeBasicCreate(basicCodeDiscount: $d) { userErrors { message } } }',
    { d: { ...basic, customerGets: { value: { percentage: 0.5 }, items: { all: true } } } }
  )
  const browser = aBrowser(shop)
  const idOf = await variantIds(shop)
  await browser.submit('/session', { customer: customer.id })
  await browser.submit('/cart/add', { variant: idOf('COURSE') })
  const update = (fields: Record<string, string>) =>
    browser.submit('/checkout', { do: 'update', country: 'DE', code: 'SAVE', ...fields })
  const tooMuch = await update({ credit: '50' })
  assert.match(tooMuch.text, /Store credit to use “50”: you have \$7\.77/)
  assert.doesNotMatch(tooMuch.text, /Paid by store credit/)
  assert.match(tooMuch.text, /SAVE -\$60\.00 .*You have \$7\.77/)
  assert.match((await update({ credit: '7.77' })).text, /Paid by store credit \$7\.77/)
  assert.match((await update({ credit: '7.77', code: 'SAVE' })).text, /You have \$7\.77/)
})

test('a checkout names all that it refuses at once, by label, buys nothing, and remembers none of it', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const customer = await shop.aCustomer()
  const browser = aBrowser(shop)
  const idOf = await variantIds(shop)
  await browser.submit('/session', { customer: customer.id })
  await browser.submit('/cart/add', { variant: idOf('COURSE') })
  const fields = { country: 'DE', code: 'NOTHING', gift_card: 'abcd', credit: '1e1', note: 'Ring twice' }
  for (const what of ['update', 'pay']) {
    const { at, text } = await browser.submit('/checkout', { do: what, ...fields })
    assert.equal(at, '/checkout')
    assert.match(text, /Discount code “NOTHING”: There is no coupon NOTHING/)
    assert.match(text, /Gift card “abcd”: There is no gift card with that code/)
    assert.match(text, /Store credit to use “1e1”: must be a decimal amount such as 29\.00/)
    assert.match(text, /Tax, 19%/)
    assert.equal((await shop.sandbox.controls.counts(storeId)).orders, 0)
  }
  const { text } = await browser.raw('/checkout')
  assert.doesNotMatch(text, /1e1|abcd|NOTHING|role="alert"/)
  assert.match(text, /name="note" value="Ring twice"/)
  assert.match((await browser.submit('/checkout', { do: 'pay', country: 'DE' })).text, /Your order is #1001/)
})

test('a code that was used says so, also when the app has ended it', async () => {
  const shop = await aShop()
  const customer = await shop.aCustomer()
  const created = await shop.mutate(
    'mutation($d: DiscountCodeBasicInput!) { discountCodeBasicCreate(basicCodeDiscount: $d) { codeDiscountNode { id } userErrors { message } } }',
    {
      d: {
        title: 'ONCE',
        code: 'ONCE',
        startsAt: '2020-01-01T00:00:00Z',
        usageLimit: 1,
        context: { all: 'ALL' },
        customerGets: { value: { percentage: 0.5 }, items: { all: true } }
      }
    }
  )
  const browser = aBrowser(shop)
  const idOf = await variantIds(shop)
  await browser.submit('/session', { customer: customer.id })
  await browser.submit('/cart/add', { variant: idOf('COURSE') })
  assert.match((await browser.submit('/checkout', { do: 'pay', country: 'US', code: 'ONCE' })).text, /Your order is/)
  await browser.submit('/cart/add', { variant: idOf('COURSE') })
  const again = () => browser.submit('/checkout', { do: 'update', country: 'US', code: 'ONCE' })
  assert.match((await again()).text, /ONCE does not apply: it has been used/)
  const ended = await shop.mutate('mutation($id: ID!) { discountCodeDeactivate(id: $id) { userErrors { message } } }', {
    id: JSON.stringify(created).match(/gid:[^"]+DiscountCodeNode[^"]+/)![0]
  })
  assert.ok(ended)
  assert.match((await again()).text, /ONCE does not apply: it has been used/)
})

test('the account page shows the store credit and the gift cards that can be spent', async () => {
  const shop = await aShop()
  const customer = await shop.aCustomer()
  const browser = aBrowser(shop)
  assert.doesNotMatch((await browser.submit('/session', { customer: customer.id })).text, /My store credit/)
  await shop.mutate(
    `mutation($id: ID!) { storeCreditAccountCredit(id: $id, creditInput: { creditAmount: { amount: "7.77", currencyCode: USD } }) {
       userErrors { message } } }`,
    { id: customer.gid }
  )
  for (const card of [{ code: 'alive1234' }, { code: 'expired12', expiresOn: '2020-01-01' }]) {
    await shop.mutate('mutation($i: GiftCardCreateInput!) { giftCardCreate(input: $i) { userErrors { message } } }', {
      i: { initialValue: '12.50', customerId: customer.gid, ...card }
    })
  }
  const home = await browser.open('/')
  assert.match(home, /My store credit Store credit \$7\.77, .* Gift card alive1234 , \$12\.50/)
  assert.doesNotMatch(home, /expired12/)
})

test('a new customer whose address has an account is sent to the login, also by e-mail address', async () => {
  const shop = await aShop()
  const browser = aBrowser(shop)
  await browser.submit('/session', { email: 'ada@example.com', first_name: 'Ada' })
  await browser.submit('/session/end', {})
  const again = await browser.submit('/session', { email: 'ADA@example.com', first_name: 'Eve' })
  assert.match(again.text, /There is an account for ADA@example\.com: log in under “Existing customer”/)
  assert.doesNotMatch(again.text, /Hello/)
  assert.match((await browser.submit('/session', { known_email: 'ada@example.com' })).text, /Hello, Ada/)
  await browser.submit('/session/end', {})
  assert.match((await browser.submit('/session', { known_email: 'x@example.com' })).text, /no such customer/)
})

test('an unknown page is a page with a link back for a browser, and JSON for a program', async () => {
  const shop = await aShop()
  const get = async (address: string, accept: string) => {
    const { statusCode, headers, body } = await request(address, { dispatcher: agent, headers: { accept } })
    return [statusCode, String(headers['content-type']).split(';')[0], await body.text()] as const
  }
  const { origin } = new URL(shop.base)
  const back = `href="${new URL(shop.base).pathname}/"`
  for (const path of ['/nope', '/challenges/nope']) {
    const [status, type, text] = await get(shop.base + path, 'text/html,*/*')
    assert.deepEqual([status, type, text.includes(back)], [404, 'text/html', true], text)
  }
  const [status, type, text] = await get(`${origin}/unknown.example/nope`, 'text/html')
  assert.deepEqual([status, type, text.includes('href="/"')], [404, 'text/html', true])
  // As the link of an installation of a shop that is not there ends.
  for (const path of ['unknown.example', 'Unknown.example/admin/oauth/authorize?client_id=1']) {
    const [code, , says] = await get(`${origin}/${path}`, 'text/html')
    assert.equal(code, 404)
    assert.match(
      says,
      /The sandbox has no shop unknown\.example<.*perennial sandbox open-shop --domain unknown\.example /s
    )
  }
  const [, , plain] = await get(`${origin}/unknown.example;ls/nope`, 'text/html')
  assert.match(plain, /There is no page at this address/)
  assert.deepEqual(await get(`${shop.base}/nope`, '*/*'), [404, 'application/json', '{"errors":"Not Found"}'])
})

test('a cancelled order is shown as cancelled, and whether its money was given back', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId } = await shop.aCustomer()
  const browser = aBrowser(shop)
  await browser.submit('/session', { customer: customerId })
  const ids: string[] = []
  for (let n = 0; n < 3; n++) {
    ids.push((await shop.sandbox.controls.order({ storeId, customerId, total: '40.00' })).id)
  }
  await shop.sandbox.controls.cancelOrder({ storeId, orderId: ids[0]!, refund: 'none' })
  await shop.sandbox.controls.cancelOrder({ storeId, orderId: ids[1]!, refund: 'all' })
  const page = await browser.open('/')
  const states = [...page.matchAll(/#(100\d) .{1,60}? (cancelled, paid|cancelled, refunded|paid) \$40\.00/g)].map(
    ([, number, state]) => [number, state]
  )
  assert.deepEqual(states.toSorted(), [
    ['1001', 'cancelled, paid'],
    ['1002', 'cancelled, refunded'],
    ['1003', 'paid']
  ])
})

test('a checkout says what does not apply and keeps the rest; a declined card keeps the cart', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const customer = await shop.aCustomer()
  const browser = aBrowser(shop)
  const idOf = await variantIds(shop)
  await browser.submit('/session', { customer: customer.id })
  await browser.submit('/cart/add', { variant: idOf('COURSE') })
  const refused = await browser.submit('/checkout', { do: 'update', country: 'DE', code: 'NOTHING' })
  assert.equal(refused.at, '/checkout')
  assert.match(refused.text, /There is no coupon NOTHING .*Tax, 19% \$22\.80 Total \$142\.80/)
  await shop.sandbox.controls.setCard({ storeId, customerId: customer.id, outcome: 'insufficient_funds' })
  const declined = await browser.submit('/checkout', { do: 'pay', country: 'DE' })
  assert.match(declined.text, /The checkout was declined/)
  assert.match(declined.text, /Cart \(1\)/)
  assert.equal((await shop.sandbox.controls.counts(storeId)).orders, 0)
})

test('a cart is bought once, also when it is paid twice at once, and a plan is sold once', async () => {
  const shop = await aShop()
  const { storeId } = shop
  await shop.aPlan()
  const customer = await shop.aCustomer()
  const browser = aBrowser(shop)
  const idOf = await variantIds(shop)
  await browser.submit('/session', { customer: customer.id })
  await browser.submit('/cart/add', { variant: idOf('BOWL') })
  const answers = await Promise.all([1, 2, 3].map(() => browser.submit('/checkout', { do: 'pay', country: 'US' })))
  assert.equal(answers.filter(({ text }) => /Your order is/.test(text)).length, 1)
  assert.equal((await shop.sandbox.controls.counts(storeId)).orders, 1)

  const { data } = await shop.graphql(
    '{ sellingPlanGroups(first: 1) { nodes { sellingPlans(first: 1) { nodes { id } } } } }'
  )
  const plan = data.sellingPlanGroups.nodes[0].sellingPlans.nodes[0].id.split('/').at(-1)
  await browser.submit('/cart/add', { plan })
  assert.match((await browser.submit('/checkout', { do: 'pay', country: 'US' })).text, /membership has started/)
  await browser.submit('/cart/add', { plan })
  assert.match((await browser.submit('/checkout', { do: 'pay', country: 'US' })).text, /You already have VIP/)
  assert.equal((await shop.sandbox.controls.counts(storeId)).contracts, 1)
})

test('the membership page shows what metafields say, and leaves out what says nothing', async () => {
  const shop = await aShop()
  const customer = await shop.aCustomer()
  const browser = aBrowser(shop)
  const shopId = (await shop.graphql('{ shop { id } }')).data.shop.id
  const set = (ownerId: string, key: string, value: object | string, type = 'json') =>
    shop.mutate('mutation($m: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $m) { userErrors { message } } }', {
      m: [{ ownerId, namespace: 'svc', key, type, value: typeof value === 'string' ? value : JSON.stringify(value) }]
    })
  assert.match(await browser.open('/membership'), /This store offers no membership at the moment/)
  await set(shopId, 'svc_plan_settings', {
    ...{ status: 1, type: 1, plan_name: 'VIP', tier_name: 'Gold', product_price: '29.00', i_name: 'month', i_count: 2 },
    ...{ dp: 1, dv: '12.5', dt: 'percentage', dat: 'all', fs: 0, ft: 0, wo: 0, store_credit: 1 }
  })
  await set(shopId, 'svc_plan_settings2', '"nonsense"')
  assert.match(
    await browser.open('/membership'),
    /Gold \$29\.00 every 2 months Member prices: 12\.5% off Store credit with each payment Some products.*Log in to join/
  )
  await browser.submit('/session', { customer: customer.id })
  assert.match(await browser.open('/membership'), /You are not a member yet/)
  const dates = { member_since: '2026-01-31', next_billing: '' }
  await set(customer.gid, 'customer_subscription1', {
    ...{ name: 'VIP', status: 'CANCELLED', scid: 41, price: '29.00', currency: 'USD', offers: [] },
    ...dates
  })
  await set(customer.gid, 'customer_subscription1_parent', {
    subscription_id: 'gid://platform/SubscriptionContract/41',
    customer: { id: 'gid://platform/Customer/7', email: 'bob@example.com', name: '<b>Bob</b>' }
  })
  await set(customer.gid, 'svc_st', '12.5', 'number_decimal')
  await set(customer.gid, 'svc_member_details', { loyalty_points: 120, birth_date: '' })
  assert.match(
    await browser.open('/membership'),
    /Your membership VIP cancelled A gift from &lt;b&gt;Bob&lt;\/b&gt; Member since January 31, 2026 Renews on none Yours to spend Store credit \$12\.50 Points 120 What .*Join Gold $/
  )
  await set(customer.gid, 'customer_subscription1', {
    ...{ name: 'VIP', status: 'ACTIVE', scid: 41, price: '29.00', currency: 'USD', offers: [] },
    ...{ member_since: '2026-01-31', next_billing: '31.2.2026' }
  })
  const threshold = (type: string, value: string, message = '') =>
    set(shopId, 'svc_plan_settings', {
      ...{ status: 1, type: 1, plan_name: 'VIP', product_price: '29.00', i_name: 'month', i_count: 1, fs: 1 },
      ...{ fs_threshold_type: type, fs_threshold_value: value, fs_message: message }
    })
  await threshold('subtotal', '50.00')
  const membership = await browser.open('/membership')
  assert.match(membership, /Member since January 31, 2026 Renews on 31\.2\.2026 .*Points 120 What/)
  assert.match(membership, /Free shipping from \$50\.00 You have this membership\./)
  await threshold('items', '3', 'No shipping costs')
  assert.match(await browser.open('/membership'), /No shipping costs from 3 items You have/)
  await threshold('0', '')
  assert.match(await browser.open('/membership'), /Free shipping You have/)
  await set(shopId, 'svc_plan_settings', { status: 0 })
  assert.match(await browser.open('/membership'), /VIP active .*offers no membership at the moment/)
})

test('a membership that was given away is its receiver’s: the giver pays for it, and may buy one for themselves', async () => {
  const shop = await aShop()
  const { storeId } = shop
  await shop.aPlan()
  const { data } = await shop.graphql(
    '{ sellingPlanGroups(first: 1) { nodes { sellingPlans(first: 1) { nodes { id } } } } }'
  )
  const plan: string = data.sellingPlanGroups.nodes[0].sellingPlans.nodes[0].id.split('/').at(-1)
  const [gia, ann] = [await shop.aCustomer('gia@example.com'), await shop.aCustomer('ann@example.com')]
  const set = (ownerId: string, values: Record<string, object>) =>
    shop.mutate('mutation($m: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $m) { userErrors { message } } }', {
      m: Object.entries(values).map(([key, value]) => ({
        ...{ ownerId, namespace: 'svc', key, type: 'json', value: JSON.stringify(value) }
      }))
    })
  const { contractId } = await shop.sandbox.controls.join({ storeId, customerId: gia.id, plan })
  const giver = aBrowser(shop)
  await giver.submit('/session', { customer: gia.id })
  const scid = Number(contractId)
  const name = 'VIP'
  const membership = { name, status: 'ACTIVE', scid, member_since: '2026-01-31', next_billing: '2026-02-28' }
  const priced = { ...membership, price: '29.00', currency: 'USD', offers: [] }
  await set((await shop.graphql('{ shop { id } }')).data.shop.id, {
    svc_plan_settings: {
      status: 1,
      type: 1,
      plan_name: name,
      product_price: '29.00',
      i_name: 'month',
      i_count: 1,
      plan_id: plan
    }
  })
  await set(gia.gid, { customer_subscription1_gifts: [{ customer: { name: 'Ann' }, subscription: membership }] })
  await set(ann.gid, {
    customer_subscription1: priced,
    customer_subscription1_parent: {
      subscription_id: `gid://platform/SubscriptionContract/${contractId}`,
      customer: { name: 'Gia' }
    }
  })

  const receiver = aBrowser(shop)
  await receiver.submit('/session', { customer: ann.id })
  const mine = (text: string) => /Hello, Ada My membership (.*) My card/.exec(text)![1]!
  const home = await receiver.open('/')
  assert.match(mine(home), /^VIP active A gift from Gia Renews on February 28, 2026$/)
  assert.match(home, /You have this membership/)
  assert.doesNotMatch(home, /Join VIP/)
  const page = await receiver.open('/membership')
  assert.match(page, /VIP active A gift from Gia Member since January 31, 2026 Renews on February 28, 2026 What/)
  assert.match(page, /You have this membership\./)
  assert.match((await receiver.submit('/join', { plan })).text, /You already have VIP/)
  // Of a second gift the app does not say who gives it.
  const other = await shop.sandbox.controls.join({ storeId, customerId: gia.id, plan })
  await set(ann.gid, { customer_subscription2: { ...priced, scid: Number(other.contractId) } })
  assert.match(await receiver.open('/membership'), /VIP active A gift from another customer Member since/)
  assert.match(mine(await receiver.open('/')), /A gift from Gia .* A gift from another customer/)
  await set(gia.gid, {
    customer_subscription1_gifts: [membership, { ...membership, scid: Number(other.contractId) }].map(
      (subscription) => ({
        ...{ customer: { name: 'Ann' }, subscription }
      })
    )
  })

  const own = await giver.open('/')
  assert.match(
    mine(own),
    /^You have no membership yet\. .* Memberships I gave to others VIP active A gift to Ann Price \$29\.00 every month/
  )
  assert.match(own, /Join VIP/)
  const gifts = await giver.open('/membership')
  assert.match(gifts, /You are not a member yet\. Your gifts to others VIP to Ann VIP to Ann What/)
  assert.match(gifts, /Join VIP $/)
  const joined = await giver.submit('/join', { plan })
  assert.match(joined.text, /Welcome! Your membership has started/)
  assert.match(mine(joined.text), /^VIP active Price/)
  const [, contract] = /contract (\d+)/.exec(joined.text)!
  await set(gia.gid, { customer_subscription1: { ...priced, scid: Number(contract) } })
  assert.match(
    await giver.open('/membership'),
    /VIP active Member since .* Next billing February 28, 2026 Price \$29\.00 Your gifts .* Manage your membership What/
  )
  assert.match((await giver.submit('/join', { plan })).text, /You already have VIP/)
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
