// What customers earn by what they do besides orders, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { aLoyaltyShop, aProduct } from './loyalty-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

const pointsOf = (amount: number) => ({ reward_type: 'points', amount })

test('consents, tags and accounts earn once, also where they are taken back and given again', async () => {
  const { store, storeId, rule, customer, settle, points } = await aLoyaltyShop(service)
  await rule('email_subscription', {}, pointsOf(10))
  await rule('sms_subscription', {}, pointsOf(20))
  await rule('customer_tag', { tag: 'Ambassador' }, pointsOf(40))
  await rule('create_account', {}, pointsOf(80))
  const customerId = await customer('ada@example.com')
  const after = async (change: Promise<unknown>) => {
    await change
    await settle()
    await store.advance({ by: 'PT1M' })
    return (await points(customerId))[0]
  }
  const consent = (channel: 'email' | 'sms', state: 'subscribed' | 'unsubscribed') =>
    after(
      controls.setConsent({ storeId, customerId, channel, state, phone: channel === 'sms' ? '+14155550123' : null })
    )
  const tags = ({ add = [], remove = [] }: { add?: string[]; remove?: string[] }) =>
    after(controls.setTags({ storeId, customerId, add, remove }))
  assert.equal(await consent('email', 'subscribed'), 10)
  assert.equal(await consent('email', 'unsubscribed'), 10)
  assert.equal(await consent('email', 'subscribed'), 10)
  assert.equal(await consent('sms', 'subscribed'), 30)
  assert.equal(await tags({ add: ['other'] }), 30)
  assert.equal(await tags({ add: ['ambassador'] }), 70)
  assert.equal(await tags({ remove: ['ambassador'] }), 70)
  assert.equal(await tags({ add: ['Ambassador'] }), 70)
  assert.equal(await after(controls.setAccount({ storeId, customerId, state: 'enabled' })), 150)
  assert.equal(await after(controls.setAccount({ storeId, customerId, state: 'disabled' })), 150)
  assert.equal(await after(controls.setAccount({ storeId, customerId, state: 'enabled' })), 150)
  await store.soundBooks()
})

test('accounts that were there before the rule earn where it is for those too', async () => {
  const { store, storeId, rule, customer, settle, points } = await aLoyaltyShop(service)
  const customerId = await customer('ada@example.com')
  await controls.setAccount({ storeId, customerId, state: 'enabled' })
  await settle()
  await store.advance({ by: 'PT1M' })
  const id = await rule('create_account', {}, pointsOf(80))
  assert.deepEqual(await points(customerId), [0, 0, 0])
  await service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, { rules: { retroactive: true } })
  await settle()
  assert.deepEqual(await points(customerId), [80, 0, 80])
  await store.soundBooks()
})

test('a birthday earns once a year at midnight of the shop, whatever birth date is entered later', async () => {
  const { store, rule, customer, memberOf, settle, points } = await aLoyaltyShop(service)
  await rule('birthday_reward', {}, pointsOf(100))
  const customerId = await customer('ada@example.com')
  const enters = async (birthDate: string) => {
    const member = `mem_${await memberOf(customerId)}`
    const { status } = await service.patch(`/members/${member}`, store.key, { birth_date: birthDate })
    assert.equal(status, 200)
    await settle()
    return (await points(customerId))[0]
  }
  await store.member('ada@example.com')
  assert.equal(await enters('1990-02-02'), 0)
  // It is 31 January in New York.
  await store.advance({ to: '2026-02-02T04:59:59Z' })
  assert.equal((await points(customerId))[0], 0)
  await store.advance({ to: '2026-02-02T05:00:00Z' })
  assert.equal((await points(customerId))[0], 100)
  assert.equal(await enters('1990-02-05'), 100)
  await store.advance({ to: '2026-02-06T05:00:00Z' })
  assert.equal((await points(customerId))[0], 100)
  await store.advance({ to: '2027-02-05T05:00:00Z' })
  assert.equal((await points(customerId))[0], 200)
  assert.equal(await enters('1990-02-04'), 200)
  await store.soundBooks()
})

test('who was born on 29 February has the birthday on the 28th of other years, and whoever enters it on the day has it at once', async () => {
  const { store, rule, memberOf, settle, points } = await aLoyaltyShop(service)
  await rule('birthday_reward', {}, pointsOf(100))
  const { customer } = await store.member('ada@example.com')
  const [id] = [customer.shopify_id?.split('/').at(-1) ?? customer.id]
  await store.advance({ to: '2026-02-28T20:00:00Z' })
  const member = `mem_${await memberOf(id)}`
  await service.patch(`/members/${member}`, store.key, { birth_date: '1992-02-29' })
  await settle()
  assert.deepEqual(await points(id), [100, 0, 100])
  await store.advance({ to: '2027-02-28T05:00:00Z' })
  assert.deepEqual(await points(id), [200, 0, 200])
  await store.soundBooks()
})

test('an anniversary of the membership earns each year, on its day in the shop', async () => {
  const { store, rule, points } = await aLoyaltyShop(service)
  await rule('anniversary_reward', {}, pointsOf(100))
  const { customer } = await store.member('ada@example.com')
  const id = customer.shopify_id?.split('/').at(-1) ?? customer.id
  await store.advance({ to: '2026-02-01T12:00:00Z' })
  assert.deepEqual(await points(id), [0, 0, 0])
  await store.advance({ to: '2027-01-31T04:59:00Z' })
  assert.deepEqual(await points(id), [0, 0, 0])
  await store.advance({ to: '2027-01-31T05:00:00Z' })
  assert.deepEqual(await points(id), [100, 0, 100])
  await store.soundBooks()
})

test('who only subscribes to products has no anniversary of a membership, and is no member for a rule', async () => {
  const { store, rule, customer, order, points, settle } = await aLoyaltyShop(service)
  await rule('anniversary_reward', {}, pointsOf(100))
  const forWhom = (apply_to: string) => ({ customer_settings: { apply_to, action: 'include', tags: [] } })
  const purchases = [
    await rule('points_for_purchases', { points_per_dollar: 2, ...forWhom('members') }, { reward_type: 'points' }),
    await rule('points_for_purchases', { points_per_dollar: 3, ...forWhom('non_members') }, { reward_type: 'points' })
  ]
  await store.plan({ name: 'Coffee', type: 'product', price: '15.00', product_ids: [await aProduct(store, 'Beans')] })
  const [ada, ben] = [await customer('ada@example.com'), await customer('ben@example.com')]
  const join = async (customer: string, plan: string) => {
    await service.admin('POST', `${store.at}/sandbox/joins`, { customer, plan })
    await settle()
  }
  await join(ada, 'Coffee')
  await join(ben, 'Coffee')
  await join(ben, 'VIP')
  const balances = async () => [(await points(ada))[0]!, (await points(ben))[0]!] as const
  const before = await balances()
  await order(ada, '10.00')
  await order(ben, '10.00')
  assert.deepEqual(await balances(), [before[0] + 30, before[1] + 20])
  for (const id of purchases) await service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, { enabled: false })
  await store.advance({ to: '2027-01-31T05:00:00Z' })
  assert.deepEqual(await balances(), [before[0] + 30, before[1] + 120])
  await store.soundBooks()
})

test('two customers who are merged have what both have earned, once each, and go on together', async () => {
  const { store, storeId, rule, customer, order, points, settle } = await aLoyaltyShop(service)
  await rule('punch_card', { required_purchases: 2, resets: true }, pointsOf(50))
  await rule('email_subscription', {}, pointsOf(5))
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  for (const customerId of [ada, bob]) {
    await controls.setConsent({ storeId, customerId, channel: 'email', state: 'subscribed' })
    await order(customerId, '10.00')
    await order(customerId, '10.00')
  }
  await order(ada, '10.00')
  assert.deepEqual(
    [await points(ada), await points(bob)],
    [
      [55, 0, 55],
      [55, 0, 55]
    ]
  )
  await controls.mergeCustomers({ storeId, customerId: bob, intoId: ada })
  await settle()
  assert.deepEqual(await points(ada), [110, 0, 110])
  await order(ada, '10.00')
  assert.deepEqual(await points(ada), [160, 0, 160])
  await store.soundBooks()
})

test('a goal that two customers have reached together gives its reward when they are merged, once', async () => {
  const { store, storeId, rule, customer, order, refund, points, settle } = await aLoyaltyShop(service)
  await rule('goal_spend', { goal_amount: 100 }, pointsOf(500))
  await rule('punch_card', { required_purchases: 2, resets: true }, pointsOf(50))
  const ended = await rule('goal_spend', { goal_amount: 80 }, pointsOf(7))
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  await order(ada, '60.00')
  const second = await order(bob, '40.00')
  await service.admin('PATCH', `${store.at}/loyalty/rules/${ended}`, { enabled: false })
  assert.deepEqual(await points(ada), [0, 0, 0])
  await controls.mergeCustomers({ storeId, customerId: bob, intoId: ada })
  await settle()
  assert.deepEqual(await points(ada), [550, 0, 550])
  await order(ada, '10.00')
  assert.deepEqual(await points(ada), [550, 0, 550])
  await refund(second)
  assert.deepEqual(await points(ada), [50, 0, 50])
  await store.soundBooks()
})
