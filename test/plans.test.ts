// Plans from the operator's request to the checkout of the sandbox platform.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, int, nullable, row, sql } from '#kit/postgres'
import { applyPlanVersion } from '../src/subscriptions/apply-plan-version.ts'
import { addPlanVersion } from './add-plan-version.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents, type RecordedEvent } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function aPlanStore(given: Record<string, unknown> = {}) {
  const store = await aStoreWithEvents(service, given)
  const at = `${store.at}/plans`
  return {
    ...store,
    create: (plan: Record<string, unknown>) =>
      service.admin('POST', at, { price: '29.00', interval: 'month', ...plan }),
    change: (id: string, change: object) => service.admin('PATCH', `${at}/${id}`, change),
    version: (id: string, version: Record<string, string>) => addPlanVersion(service, `${at}/${id}`, version),
    show: (id: string) => service.admin('GET', `${at}/${id}`),
    list: async () => (await service.admin('GET', at)).data,
    /** Joins; returns the amount of the checkout and the subscription. */
    async join(plan: string, email = `${Math.random()}@example.com`) {
      const joined = await store.member(email, plan)
      await store.settle()
      const order = await store.shop('query($id: ID!) { order(id: $id) { totalPriceSet { shopMoney { amount } } } }', {
        id: `gid://platform/Order/${joined.order_id}`
      })
      const all = await store.client.subscriptions.list({}).toArray({ atMost: 50 })
      const subscription = all.find(({ shopify_subscription_id: gid }: { shopify_subscription_id: string }) =>
        gid.endsWith(`/${joined.contract_id}`)
      )!
      const paid = Number(order.totalPriceSet.shopMoney.amount)
      return { ...joined, paid, subscription, contract: store.contract(joined.contract_id) }
    },
    async product(title: string, price: string) {
      const { product } = await store.shop(
        `mutation($product: ProductCreateInput!) { productCreate(product: $product) {
           product { id variants(first: 1) { nodes { id } } } userErrors { message } } }`,
        { product: { title, handle: title.toLowerCase(), status: 'ACTIVE' } }
      )
      await store.shop(
        `mutation($id: ID!, $variants: [ProductVariantsBulkInput!]!) {
           productVariantsBulkUpdate(productId: $id, variants: $variants) { userErrors { message } } }`,
        { id: product.id, variants: [{ id: product.variants.nodes[0].id, price }] }
      )
      return product.id as string
    },
    versionOf: (contractId: string) => service.db.inStore(store.storeId, (ctx) => versionOf(ctx, contractId))
  }
}

async function versionOf({ tx, storeId }: Ctx, contractId: string) {
  const found = await tx.one(
    row({ planVersion: nullable(int) }),
    sql`select plan_version from subscriptions where store_id = ${storeId} and platform_contract_id = ${contractId}`
  )
  return found.planVersion
}

test('a trial of days charges its price at the checkout, and the plan’s price after the trial', async () => {
  const store = await aPlanStore()
  await store.create({ name: 'Trial', type: 'vip', trial_days: 10, trial_price: '1.50' })
  const { paid, subscription, contract } = await store.join('Trial')
  assert.equal(paid, 1.5)
  assert.equal(subscription.price, 29)
  assert.deepEqual(
    [subscription.trial_ends_at, subscription.next_billing_date, subscription.cycle_index],
    ['2026-02-10T15:00:00.000Z', '2026-02-10T15:00:00.000Z', 0]
  )
  assert.equal(await contract.nextDate(), '2026-02-10T15:00:00Z', 'the platform has the date of our first charge')

  const charged = await store.recorded(() => store.advance({ to: '2026-02-11T00:00:00Z' }))
  const success = charged.find(({ type }: RecordedEvent) => type === 'billing.success')!
  assert.equal(success.data.amount, 29)
  assert.equal((await store.client.subscriptions.get(subscription.id)).price, 29)
  const { nodes } = await store.shop(
    '{ orders(first: 2, reverse: true) { nodes { totalPriceSet { shopMoney { amount } } } } }'
  )
  assert.deepEqual(
    nodes.map((order: any) => Number(order.totalPriceSet.shopMoney.amount)),
    [29, 1.5],
    'the platform must be the same'
  )
  await store.soundBooks()
})

test('a trial until the next billing date ends with the first interval; without a price it is free', async () => {
  const store = await aPlanStore()
  await store.create({ name: 'Trial', type: 'elite', trial_type: 'next_billing_date' })
  const { paid, subscription, contract } = await store.join('Trial')
  assert.equal(paid, 0)
  assert.deepEqual([subscription.price, subscription.trial_ends_at], [29, '2026-02-28T15:00:00.000Z'])
  assert.equal(await contract.nextDate(), '2026-02-28T15:00:00Z')
  const charged = await store.recorded(() => store.advance({ to: '2026-03-01T00:00:00Z' }))
  assert.equal(charged.find(({ type }: RecordedEvent) => type === 'billing.success')!.data.amount, 29)
  const { next_billing_date: next } = await store.client.subscriptions.get(subscription.id)
  assert.equal(next, '2026-03-31T14:00:00.000Z', 'the day of the join, not that of the short month')
  await store.soundBooks()
})

test("a new version's price applies to new subscriptions; existing ones keep theirs", async () => {
  const store = await aPlanStore()
  const plan = await store.create({ name: 'Gold', type: 'vip' })
  const first = await store.join('Gold')
  const changed = await store.version(plan.id, { price: '39.00', credit: '5.00', apply_to: 'new' })
  assert.deepEqual(
    changed.versions.map((v: { version: number; price: number; credit: number; apply_to: string }) => [
      v.version,
      v.price,
      v.credit,
      v.apply_to
    ]),
    [
      [2, 39, 5, 'new'],
      [1, 29, 0, 'new']
    ]
  )
  assert.deepEqual([changed.price, changed.version, changed.selling_plan_id], [39, 2, plan.selling_plan_id])
  await store.advance({ by: 'PT1H' })
  const second = await store.join('Gold')
  assert.deepEqual([second.paid, second.subscription.price], [39, 39])
  assert.deepEqual([await store.versionOf(first.contract_id), await store.versionOf(second.contract_id)], [1, 2])

  const charged = await store.recorded(() => store.advance({ to: '2026-03-02T00:00:00Z' }))
  const amounts = charged
    .filter(({ type }: RecordedEvent) => type === 'billing.success')
    .map(({ data }: RecordedEvent) => data.amount)
  assert.deepEqual(amounts.sort(), [29, 39])
  await store.soundBooks()
})

test('a version for running subscriptions changes the old list price from the next cycle on, and no price agreed with one person', async () => {
  const store = await aPlanStore()
  const plan = await store.create({ name: 'Gold', type: 'vip', trial_days: 0 })
  const members = [await store.join('Gold'), await store.join('Gold'), await store.join('Gold')]
  const [first, deal, paused] = members as [(typeof members)[0], (typeof members)[0], (typeof members)[0]]
  await deal.contract.edit({ line: { currentPrice: '20.00' } })
  await store.client.subscriptions.pause(paused.subscription.id)
  await store.settle()
  const other = await store.join('VIP')

  const recorded = await store.recorded(() => store.version(plan.id, { credit: '4.00', apply_to: 'running' }))
  assert.deepEqual(recorded, [], 'a change of credit alone changes no contract, and no price agreed with a customer')
  const priced = await store.recorded(() => store.version(plan.id, { price: '35.00', apply_to: 'running' }))
  assert.deepEqual(
    priced.map(({ type, data }: RecordedEvent) => [type, data.changes]),
    [
      ['subscription.updated', { price: { from: 29, to: 35 } }],
      ['subscription.updated', { price: { from: 29, to: 35 } }]
    ]
  )
  for (const { contract_id } of [first, paused]) assert.equal(await store.versionOf(contract_id), 3)
  assert.equal(await store.versionOf(deal.contract_id), 2)
  assert.equal(await store.versionOf(other.contract_id), 1)

  const charged = await store.recorded(() => store.advance({ to: '2026-03-01T00:00:00Z' }))
  const amounts = charged
    .filter(({ type }: RecordedEvent) => type === 'billing.success')
    .map(({ data }: RecordedEvent) => data.amount)
  assert.deepEqual(amounts.sort(), [20, 29, 35])

  // The current cycle keeps its end; the yearly cycles begin there.
  await store.version(plan.id, { price: '300.00', interval: 'year', apply_to: 'running' })
  await store.settle()
  const renewed = await store.client.subscriptions.get(first.subscription.id)
  assert.deepEqual(
    [renewed.price, renewed.plan.billing_frequency, renewed.next_billing_date],
    [300, 'yearly', '2026-03-31T14:00:00.000Z']
  )
  await store.soundBooks()
})

test('a run of its job that another process has by now changes nothing', async () => {
  const store = await aPlanStore()
  const plan = await store.create({ name: 'Gold', type: 'vip', trial_days: 0 })
  const { contract_id } = await store.join('Gold')
  await store.version(plan.id, { price: '35.00', apply_to: 'new' })
  const { id: planId } = (await store.plans()).find(({ name }: { name: string }) => name === 'Gold')!
  const run = (renewLease: () => Promise<void>) =>
    applyPlanVersion.run(service.deps, store.storeId, [
      { input: { planId, version: 2, target: 'list_price', afterId: 0 }, attempts: 1, renewLease }
    ])
  await assert.rejects(
    run(() => Promise.reject(new Error('lost'))),
    /lost/
  )
  assert.equal(await store.versionOf(contract_id), 1)
  assert.deepEqual(await run(async () => {}), [{ done: true }])
  assert.equal(await store.versionOf(contract_id), 2)
})

test('a version changes only its own terms, and applies after a cancellation is reverted', async () => {
  const store = await aPlanStore()
  await service.admin('PATCH', `${store.at}/settings`, { reactivation_grace_hours: 24 })
  const plan = await store.create({ name: 'Gold', type: 'vip', trial_days: 0 })
  const [own, gone] = [await store.join('Gold'), await store.join('Gold')]
  const at = (id: string) => `${store.at}/subscriptions/${id}`
  await service.admin('POST', `${at(own.subscription.id)}/change`, { interval: 'week', interval_count: 2 })
  await store.settle()

  const recorded = await store.recorded(() => store.version(plan.id, { credit: '4.00', apply_to: 'running' }))
  assert.deepEqual(recorded, [], 'a change of credit alone changes no interval agreed with a customer')

  await service.admin('POST', `${at(gone.subscription.id)}/cancel`)
  await store.version(plan.id, { price: '35.00', apply_to: 'running' })
  await store.settle()
  assert.equal((await service.admin('GET', at(gone.subscription.id))).price, 29)
  await service.admin('POST', `${at(gone.subscription.id)}/reactivate`)
  await store.settle()
  assert.equal((await service.admin('GET', at(gone.subscription.id))).price, 35)
  await store.soundBooks()
})

test("a version that changes only the price keeps a subscription's own interval and the price agreed with it", async () => {
  const store = await aPlanStore()
  const plan = await store.create({ name: 'Gold', type: 'vip', trial_days: 0 })
  const [plain, slow, agreed, asking] = [
    await store.join('Gold'),
    await store.join('Gold'),
    await store.join('Gold'),
    await store.join('Gold')
  ]
  const change = (of: typeof plain, requested: object) =>
    service.admin('POST', `${store.at}/subscriptions/${of.subscription.id}/change`, requested)
  await change(slow, { interval: 'week', interval_count: 6 })
  await change(agreed, { interval: 'year', price: '290.00' })
  await store.settle()
  // Requested, and still pending when the version is added.
  await change(asking, { interval: 'month', interval_count: 2 })
  await store.version(plan.id, { price: '35.00', apply_to: 'running' })
  await store.settle()
  const terms = async (of: typeof plain) => {
    const { price, interval, interval_count } = await service.admin(
      'GET',
      `${store.at}/subscriptions/${of.subscription.id}`
    )
    return [price, interval, interval_count]
  }
  assert.deepEqual(await terms(plain), [35, 'month', 1])
  assert.deepEqual(await terms(slow), [35, 'week', 6])
  assert.deepEqual(await terms(agreed), [290, 'year', 1])
  assert.deepEqual(await terms(asking), [35, 'month', 2])
  for (const { contract_id } of [plain, slow, asking]) assert.equal(await store.versionOf(contract_id), 2)
  assert.equal(await store.versionOf(agreed.contract_id), 1)
  await store.soundBooks()
})

test('another interval replaces the selling plan; existing subscriptions still belong to the plan', async () => {
  const store = await aPlanStore()
  const plan = await store.create({ name: 'Gold', type: 'vip' })
  const before = await store.join('Gold')
  const yearly = await store.version(plan.id, { price: '290.00', interval: 'year', apply_to: 'new' })
  assert.notEqual(yearly.selling_plan_id, plan.selling_plan_id)
  await store.advance({ by: 'PT1H' })
  const after = await store.join('Gold')
  assert.deepEqual(
    [after.subscription.price, after.subscription.plan.billing_frequency, after.subscription.plan_id],
    [290, 'yearly', plan.id]
  )
  // Syncing the older contract, whose selling plan is no longer sold, does not change its plan.
  await before.contract.edit({ note: 'looked at' })
  await store.settle()
  const { plan_id, price } = await store.client.subscriptions.get(before.subscription.id)
  assert.deepEqual([plan_id, price, await store.versionOf(before.contract_id)], [plan.id, 29, 1])

  const back = await store.version(plan.id, { price: '31.00', interval: 'month', apply_to: 'new' })
  assert.equal(back.version, 3)
  await store.advance({ by: 'PT1H' })
  assert.equal((await store.join('Gold')).subscription.price, 31)
  await store.soundBooks()
})

test('a product plan sells products of the shop and gives no tier; of two plans on a contract the membership counts', async () => {
  const store = await aPlanStore()
  const coffee = await store.product('Coffee', '18.00')
  const tea = await store.product('Tea', '9.00')
  const plan = await store.create({ name: 'Monthly coffee', type: 'product', price: '15.00', product_ids: [coffee] })
  assert.deepEqual([plan.tier, plan.product_ids], [null, [coffee.split('/').at(-1)]])

  const { paid, subscription, customer } = await store.join('Monthly coffee', 'ada@example.com')
  assert.deepEqual([paid, subscription.price, subscription.plan.id], [15, 15, plan.id])
  const theMember = async () => (await store.client.members.list({}).toArray({ atMost: 1 }))[0]!
  assert.deepEqual([(await theMember()).tier, (await theMember()).plan_name], [null, 'Monthly coffee'])

  await service.admin('POST', `${store.at}/sandbox/joins`, { customer: customer.id, plan: 'VIP' })
  await store.settle()
  assert.deepEqual([(await theMember()).tier, (await theMember()).plan_name], ['VIP', 'VIP'])

  const moved = await store.change(plan.id, { product_ids: [tea] })
  assert.deepEqual(moved.product_ids, [tea.split('/').at(-1)])
  const { products } = await store
    .shop(
      'query { sellingPlanGroups(first: 10, reverse: true) { nodes { name products(first: 5) { nodes { id } } } } }'
    )
    .then(({ nodes }: { nodes: any[] }) => nodes.find(({ name }: { name: string }) => name === 'Monthly coffee'))
  assert.deepEqual(products.nodes, [{ id: tea }])
  await assert.rejects(
    store.create({ name: 'Nothing', type: 'product', product_ids: ['999999'] }),
    /product_ids must be ids of products that the platform has.*"code":"not_found"/
  )
  await store.soundBooks()
})

test('nobody can join a disabled plan, and its subscriptions continue', async () => {
  const store = await aPlanStore()
  const plan = await store.create({ name: 'Gold', type: 'vip' })
  const { subscription } = await store.join('Gold')
  assert.equal((await store.change(plan.id, { status: 'disabled' })).status, 'disabled')
  await assert.rejects(store.join('Gold'), /Gold/)
  await store.version(plan.id, { price: '35.00', apply_to: 'new' })
  await assert.rejects(store.join('Gold'), /Gold/, 'a new price does not put it on sale')

  const charged = await store.recorded(() => store.advance({ to: '2026-03-01T00:00:00Z' }))
  assert.equal(charged.find(({ type }: RecordedEvent) => type === 'billing.success')!.data.amount, 29)
  assert.equal((await store.client.subscriptions.get(subscription.id)).status, 'active')
  await store.change(plan.id, { status: 'enabled' })
  assert.equal((await store.join('Gold')).paid, 35)

  const created = await store.create({ name: 'Later', type: 'vip', status: 'disabled' })
  await assert.rejects(store.join('Later'), /Later/)
  await store.change(created.id, { status: 'enabled' })
  assert.equal((await store.join('Later')).paid, 29)
})

test('max_cycles is set on the contract', async () => {
  const store = await aPlanStore()
  const plan = await store.create({ name: 'Three', type: 'vip', max_cycles: 3 })
  assert.equal(plan.max_cycles, 3)
  const { contract_id } = await store.join('Three')
  const recorded = await store.shop(
    'query($id: ID!) { subscriptionContract(id: $id) { billingPolicy { maxCycles } } }',
    {
      id: `gid://platform/SubscriptionContract/${contract_id}`
    }
  )
  assert.equal(recorded.billingPolicy.maxCycles, 3)
})

test('invalid plan fields are refused with what they accept', async () => {
  const store = await aPlanStore()
  const perks = { discount: { value: 10, type: 'percentage' }, store_credit: { amount: '29.00', type: 'coupon' } }
  const plan = await store.create({ name: 'Gold', type: 'vip', tier: 'Gold', allowed_countries: ['US', 'DE'], perks })
  assert.deepEqual([plan.credit, plan.allowed_countries], [29, ['US', 'DE']])
  assert.deepEqual(plan.perks.store_credit, { amount: 29, type: 'coupon' })
  const changed = await store.change(plan.id, { perks: { ...plan.perks, discount: null }, trial_days: 7 })
  assert.deepEqual(
    [changed.perks.discount, changed.perks.store_credit, changed.trial_type],
    [null, plan.perks.store_credit, 'days']
  )
  assert.deepEqual((await store.change(plan.id, { trial_type: null })).trial_days, 0)
  assert.deepEqual((await store.show(plan.id)).versions.length, 1)

  const ACCEPTED_DAYS =
    'trial_days must be a whole number from 1 to 365, or 0, without trial_type, for no trial of days'
  const make = { name: 'X', type: 'vip' }
  for (const [given, message] of [
    [{ ...make, tier: 'x'.repeat(32) }, 'tier must have 1 to 31 characters'],
    [{ ...make, name: 'x'.repeat(32) }, 'tier must have 1 to 31 characters, and the name has more'],
    [{ ...make, tier: 'a,b' }, 'tier must have no comma: it becomes an order tag'],
    [{ ...make, name: 'a,b' }, 'tier must have no comma, and the name has one'],
    [{ ...make, tier: '' }, 'tier must be a text of 1 to 31 characters'],
    [{ ...make, allowed_countries: ['XX'] }, 'allowed_countries must be a list of ISO 3166-1'],
    [{ ...make, trial_type: 'days' }, ACCEPTED_DAYS],
    [{ ...make, trial_type: 'days', trial_days: 0 }, ACCEPTED_DAYS],
    [{ ...make, trial_type: 'days', trial_days: 366 }, ACCEPTED_DAYS],
    [{ ...make, perks: { store_credit: { type: 'giftcard' } } }, 'perks.store_credit.amount is needed'],
    [{ ...make, trial_type: 'next_billing_date', trial_days: 3 }, 'trial_days is accepted only where'],
    [{ ...make, trial_price: 1 }, 'trial_price is accepted only with a trial_type'],
    [{ ...make, trial_days: 3, trial_price: '29.01' }, "trial_price must be an amount up to the plan's price"],
    [{ ...make, max_cycles: 1001 }, 'max_cycles must be an integer from 1 to 1000'],
    [{ ...make, product_ids: ['1'] }, 'product_ids is accepted only for a product plan'],
    [{ ...make, credit: 5, perks }, 'credit is accepted only without perks.store_credit'],
    [{ ...make, perks: { discount: { value: 10 } } }, 'perks.discount.type must be percentage or fixed'],
    [{ name: 'X', type: 'product' }, 'product_ids must be 1 to 250 product ids'],
    [{ name: 'X', type: 'product', product_ids: ['1'], tier: 'A' }, 'tier is accepted only for a membership'],
    [{ name: 'X', type: 'product', product_ids: ['1'], perks }, 'perks must have only store_credit for a product plan']
  ] as [object, string][]) {
    await assert.rejects(store.create(given as Record<string, unknown>), (err: Error) => {
      assert.ok(err.message.includes('400') && err.message.includes(message), `${message}: ${err.message}`)
      return true
    })
  }
  await assert.rejects(store.change('plan_999999', { status: 'disabled' }), /404.*There is no plan plan_999999/)
  await assert.rejects(store.show('nonsense'), /404/)
  await assert.rejects(store.change(plan.id, {}), /400.*must hold one of/)
  await assert.rejects(
    store.change(plan.id, { perks: { store_credit: { amount: 30 } } }),
    /is changed by a new version/
  )
  const without = await store.create({ name: 'Without credit', type: 'vip' })
  await assert.rejects(
    store.change(without.id, { perks: { store_credit: { type: 'giftcard' } } }),
    /perks.store_credit is accepted without an amount only where the plan issues some/
  )
  for (const field of ['name', 'tier', 'type']) {
    await assert.rejects(
      store.change(plan.id, { [field]: 'elite' }),
      new RegExp(`${field} must be left out: a plan keeps`)
    )
  }
  await assert.rejects(store.version(plan.id, { price: '29.00', apply_to: 'new' }), /400.*differs from the present one/)
  const other = await aPlanStore()
  await assert.rejects(other.show(plan.id), /404/)
  await assert.rejects(other.change(plan.id, { status: 'disabled' }), /404/)
})

test('of two concurrent changes one is refused or both are made, and the platform has the same terms as the plan', async () => {
  const store = await aPlanStore()
  const plan = await store.create({ name: 'Gold', type: 'vip' })
  const results = await Promise.allSettled(
    ['31.00', '32.00', '33.00'].map((price) => store.version(plan.id, { price, apply_to: 'new' }))
  )
  const created = results.filter(({ status }) => status === 'fulfilled').length
  assert.ok(created >= 1)
  for (const result of results) {
    if (result.status === 'rejected') assert.match(String(result.reason), /409.*is being changed by another request/)
  }
  const { price, version } = await store.show(plan.id)
  assert.equal(version, 1 + created)
  assert.equal((await store.join('Gold')).paid, price)
})
