// What svc_protection decides: an open or lost chargeback freezes what its order has issued and bars a second trial; without it, alerts only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)
const { dispute } = service.sandbox.controls

const TRIAL = { trial_type: 'days', trial_days: 14, trial_price: '1.00' }

async function aProduct({ shop }: Awaited<ReturnType<typeof aStoreWithEvents>>): Promise<string> {
  const { product } = await shop(
    `mutation($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }`,
    { product: { title: 'Beans', status: 'ACTIVE' } }
  )
  return product.id
}

/**
 * A shop with the plan Gold, which issues 10.00 of credit with each paid cycle, and the plans Try and Coffee, a membership and products
 * that begin with a trial.
 */
async function aShop({ isProtected }: { isProtected?: boolean } = {}) {
  const store = await aStoreWithEvents(service)
  const plans = [
    { name: 'Gold', tier: 'VIP', price: '40.00', perks: { store_credit: { amount: '10.00', type: 'storecredit' } } },
    { name: 'Try', tier: 'Try', price: '20.00', ...TRIAL },
    { name: 'Coffee', type: 'product', price: '12.00', ...TRIAL, product_ids: [await aProduct(store)] }
  ]
  for (const plan of plans)
    await service.admin('POST', `${store.at}/plans`, { type: 'vip', interval: 'month', ...plan })
  const settle = () => service.deps.settle(store.storeId)
  const protect = async (is: boolean) => {
    const value = { svc_protection: is ? 1 : 0 }
    const { status } = await call(store, 'PATCH', '/storefront-settings/svc_protection', { value })
    assert.equal(status, 200)
  }
  if (isProtected !== undefined) await protect(isProtected)
  const customer = async (email = 'ada@example.com') =>
    (await service.admin('POST', `${store.at}/sandbox/customers`, { email })).id as string
  const join = async (id: string, plan: string): Promise<string> => {
    const joined = await service.admin('POST', `${store.at}/sandbox/joins`, { customer: id, plan })
    await settle()
    return joined.order_id
  }
  const disputes = async (orderId: string, status: string, type?: 'chargeback' | 'inquiry') => {
    await store.advance({ by: 'PT1M' })
    await dispute({ storeId: store.storeId, orderId, status, ...(type && { type }) } as Parameters<typeof dispute>[0])
    await settle()
  }
  const subscriptions = async () =>
    (await service.get('/subscriptions', store.key)).body.data.toReversed() as { id: string; status: string }[]
  const statuses = async () => (await subscriptions()).map(({ status }) => status)
  const alerts = async (): Promise<{ kind: string; message: string }[]> =>
    (await call(store, 'GET', '/alerts')).body.data
  const kinds = async (): Promise<string[]> => (await alerts()).map(({ kind }) => kind)
  const credit = async (id: string) => (await service.get(`/store-credits/${id}`, store.key)).body.data.balance
  return { ...store, protect, customer, join, disputes, subscriptions, statuses, alerts, kinds, credit }
}

test('an open chargeback raises one alert and freezes the credit of its order until it is won', async () => {
  const { customer, join, disputes, alerts, credit, soundBooks } = await aShop()
  const ada = await customer()
  const order = await join(ada, 'Gold')
  await disputes(order, 'needs_response', 'inquiry')
  assert.deepEqual([await credit(ada), await alerts()], [10, []])
  await disputes(order, 'needs_response', 'chargeback')
  await disputes(order, 'under_review')
  const [alert, ...others] = await alerts()
  assert.deepEqual([await credit(ada), alert?.kind, others], [0, 'chargeback_opened', []])
  assert.match(
    alert!.message,
    /^Chargeback \d+ is about order ord_\d+, which belongs to sub_\d+\. The store credit and points .* are taken back unless/
  )
  await soundBooks()
  await disputes(order, 'won')
  assert.equal(await credit(ada), 10)
  await soundBooks()
})

test('without protection a chargeback raises its alerts only, also one that is lost after the setting was changed', async () => {
  const { protect, customer, join, disputes, alerts, kinds, credit, soundBooks } = await aShop({ isProtected: false })
  const ada = await customer()
  const order = await join(ada, 'Gold')
  await disputes(order, 'needs_response', 'chargeback')
  assert.equal(await credit(ada), 10)
  assert.match((await alerts())[0]!.message, /Fraud protection \(svc_protection\) is off, so the customer keeps/)
  await soundBooks()
  await protect(true)
  await disputes(order, 'lost')
  assert.deepEqual([await credit(ada), (await kinds()).toSorted()], [10, ['chargeback_opened', 'dispute_lost']])
  await soundBooks()

  // One that begins now counts, and goes on doing so when the setting is off again.
  const bo = await customer('bo@example.com')
  const other = await join(bo, 'Gold')
  await disputes(other, 'needs_response', 'chargeback')
  assert.equal(await credit(bo), 0)
  await protect(false)
  await disputes(other, 'lost')
  assert.equal(await credit(bo), 0)
  await soundBooks()
})

test('a second trial of a customer with an open chargeback is paused with an alert, and who resumes it decides', async () => {
  const { key, customer, join, disputes, subscriptions, statuses, alerts, kinds } = await aShop()
  const ada = await customer()
  const order = await join(ada, 'Try')
  await disputes(order, 'needs_response', 'chargeback')
  assert.deepEqual(await statuses(), ['active'])
  await join(ada, 'Try')
  assert.deepEqual(await statuses(), ['active', 'paused'])
  const id = (await subscriptions())[1]!.id
  const barred = (await alerts()).find(({ kind }: { kind: string }) => kind === 'second_trial_barred')
  assert.match(
    barred!.message,
    new RegExp(`^${id} is in its trial\\. Its customer had a trial before, and dispute \\d+`)
  )
  await service.post(`/subscriptions/${id}/resume`, key)
  await disputes(order, 'lost')
  assert.deepEqual(await statuses(), ['active', 'active'])
  assert.equal((await kinds()).filter((kind: string) => kind === 'second_trial_barred').length, 1)
})

test('a chargeback that begins in the second trial pauses it', async () => {
  const { customer, join, disputes, statuses } = await aShop()
  const ada = await customer()
  const order = await join(ada, 'Try')
  await join(ada, 'Try')
  assert.deepEqual(await statuses(), ['active', 'active'])
  await disputes(order, 'needs_response', 'inquiry')
  assert.deepEqual(await statuses(), ['active', 'active'])
  await disputes(order, 'needs_response', 'chargeback')
  assert.deepEqual(await statuses(), ['active', 'paused'])
})

test('a dispute of products that is lost raises its alert, and a trial of products bars none of a membership', async () => {
  const { at, customer, join, disputes, subscriptions, statuses, kinds } = await aShop()
  await service.admin('PATCH', `${at}/settings`, { disputes: { on_lost: 'cancel' } })
  const ada = await customer()
  const order = await join(ada, 'Coffee')
  await disputes(order, 'accepted', 'inquiry')
  await disputes(order, 'lost')
  assert.deepEqual([await kinds(), await statuses()], [['dispute_lost'], ['active']])
  await join(ada, 'Try')
  await join(ada, 'Coffee')
  assert.deepEqual(await statuses(), ['active', 'active', 'active'], JSON.stringify(await subscriptions()))
})

test('a second trial is barred after a merge with a customer who has the chargeback', async () => {
  const { at, storeId, customer, join, disputes, statuses, kinds } = await aShop()
  const [ada, bo] = [await customer(), await customer('bo@example.com')]
  const order = await join(ada, 'Try')
  await disputes(order, 'lost', 'chargeback')
  await join(bo, 'Try')
  assert.deepEqual(await statuses(), ['active', 'active'])
  await service.admin('POST', `${at}/sandbox/merges`, { customer: ada, into: bo })
  await service.deps.settle(storeId)
  assert.deepEqual([await statuses(), (await kinds()).includes('second_trial_barred')], [['active', 'paused'], true])
})

test('nothing bars a first trial, a trial after a chargeback that was won, one of somebody else, a paid membership, or without protection', async () => {
  const { customer, join, disputes, statuses, kinds } = await aShop()
  const [ada, bo, cy] = [await customer(), await customer('bo@example.com'), await customer('cy@example.com')]
  const paid = await join(ada, 'Gold')
  await disputes(paid, 'lost', 'chargeback')
  await join(ada, 'Try')
  const won = await join(bo, 'Try')
  await disputes(won, 'needs_response', 'chargeback')
  await disputes(won, 'won')
  await join(bo, 'Try')
  await join(cy, 'Try')
  await join(cy, 'Try')
  await join(ada, 'Gold')
  assert.deepEqual(await statuses(), Array(7).fill('active'))
  assert.equal((await kinds()).includes('second_trial_barred'), false)

  const open = await aShop({ isProtected: false })
  const dee = await open.customer()
  const order = await open.join(dee, 'Try')
  await open.disputes(order, 'lost', 'chargeback')
  await open.join(dee, 'Try')
  // One from before the setting was turned off bars nothing either.
  await open.protect(true)
  const eve = await open.customer('eve@example.com')
  await open.disputes(await open.join(eve, 'Try'), 'lost', 'chargeback')
  await open.protect(false)
  await open.join(eve, 'Try')
  assert.deepEqual(await open.statuses(), Array(4).fill('active'))
})
