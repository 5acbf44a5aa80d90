// A new price of a plan: shown before, then brought to those whom it is for, and to nobody else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enqueue } from '#kit/jobs'
import { bool, type Ctx, int, nullable, row, sql } from '#kit/postgres'
import { applyPlanVersionJob, followPlanVersionJob, listPlans } from '#plans'
import { previewPlanVersion } from '#subscriptions'
import { applyPlanVersion } from '../src/subscriptions/apply-plan-version.ts'
import { addPlanVersion } from './add-plan-version.ts'
import { testDatabase } from './database.ts'
import { aDueStore } from './due-store.ts'
import { aStoreWithEvents, type RecordedEvent } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

/** A store with a monthly plan at 29 and subscriptions of each kind, by name. */
async function aPricedStore() {
  const store = await aStoreWithEvents(service)
  // What is cancelled is over at once: it is not repriced.
  await service.admin('PATCH', `${store.at}/settings`, { reactivation_grace_hours: 0 })
  const { id: plan } = await service.admin('POST', `${store.at}/plans`, {
    name: 'Gold',
    type: 'vip',
    price: '29.00',
    interval: 'month'
  })
  const at = `${store.at}/plans/${plan}/versions`
  const subscriptionAt = (id: string) => `${store.at}/subscriptions/${id}`
  const change = (id: string, requested: object) => service.admin('POST', `${subscriptionAt(id)}/change`, requested)
  const subscription = (id: string) => service.admin('GET', subscriptionAt(id))
  const names = new Map<string, string>()
  for (const name of ['plain', 'own', 'paused', 'yearly', 'slow', 'ended']) {
    const { contract_id } = await store.member(`${name}@example.com`, 'Gold')
    await store.settle()
    const all = await store.client.subscriptions.list({}).toArray({ atMost: 50 })
    const { id } = all.find((s: any) => s.shopify_subscription_id.endsWith(`/${contract_id}`))!
    names.set(name, id)
    if (name === 'own') await store.contract(contract_id).edit({ line: { currentPrice: '20.00' } })
  }
  const idOf = (name: string) => names.get(name)!
  await service.admin('POST', `${subscriptionAt(idOf('paused'))}/pause`)
  await change(idOf('yearly'), { interval: 'year', price: '290.00' })
  await change(idOf('slow'), { interval: 'week', interval_count: 6 })
  await service.admin('POST', `${subscriptionAt(idOf('ended'))}/cancel`)
  await store.settle()
  return {
    ...store,
    plan: plan as string,
    idOf,
    change,
    async newMember(name: string, price?: string) {
      const { contract_id } = await store.member(`${name}@example.com`, 'Gold')
      if (price) await store.contract(contract_id).edit({ line: { currentPrice: price } })
      await store.settle()
      const all = await store.client.subscriptions.list({}).toArray({ atMost: 50 })
      return all.find((s: any) => s.shopify_subscription_id.endsWith(`/${contract_id}`))!.id as string
    },
    preview: (query: string) => service.admin('GET', `${at}/preview?${query}`),
    version: (version: Record<string, string>) => addPlanVersion(service, `${store.at}/plans/${plan}`, version),
    /** Without a preview of its own. */
    addVersion: (version: object) => service.admin('POST', at, version),
    /** [price, interval, interval_count, version] of each, by name. */
    async terms() {
      const shown: Record<string, unknown> = {}
      for (const [name, id] of names) {
        const { price, interval, interval_count } = await subscription(id)
        shown[name] = [price, interval, interval_count, await versionOf(store.storeId, id)]
      }
      return shown
    }
  }
}

const goldOf = async (storeId: number) =>
  (await service.db.inStore(storeId, listPlans)).find(({ name }) => name === 'Gold')!.id

const versionOf = (storeId: number, id: string) =>
  service.db.inStore(storeId, async ({ tx }) => {
    const found = await tx.one(
      row({ planVersion: nullable(int) }),
      sql`select plan_version from subscriptions where store_id = ${storeId} and id = ${Number(id.slice('sub_'.length))}`
    )
    return found.planVersion
  })

const setPrice = (storeId: number, id: string, price: number, unitPrice: number | null) =>
  service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`
      update subscriptions set price_minor = ${price}, unit_price_minor = ${unitPrice}
       where store_id = ${storeId} and id = ${Number(id.slice('sub_'.length))}`)
  )

const MONTH = ['month', 1] as const
const BEFORE = {
  plain: [29, ...MONTH, 1],
  own: [20, ...MONTH, 1],
  paused: [29, ...MONTH, 1],
  yearly: [290, 'year', 1, 1],
  slow: [29, 'week', 6, 1],
  ended: [29, ...MONTH, 1]
}

for (const [applyTo, expected, totals] of [
  [
    'list_price',
    { plain: [35, ...MONTH, 2], paused: [35, ...MONTH, 2], slow: [35, 'week', 6, 2] },
    { subscriptions: 5, changed: 3, same: 0, kept_own_price: 2, kept_own_interval: 0, kept_plan_change: 0 }
  ],
  [
    'all',
    { plain: [35, ...MONTH, 2], own: [35, ...MONTH, 2], paused: [35, ...MONTH, 2], slow: [35, 'week', 6, 2] },
    { subscriptions: 5, changed: 4, same: 0, kept_own_price: 0, kept_own_interval: 1, kept_plan_change: 0 }
  ]
] as const) {
  test(`what the preview for ${applyTo} shows is what happens, to those and to nobody else`, async () => {
    const store = await aPricedStore()
    const preview = await store.preview(`price=35&apply_to=${applyTo}`)
    assert.deepEqual(
      [preview.plan_id, preview.version, preview.apply_to, preview.price, preview.next],
      [store.plan, 2, applyTo, 35, null]
    )
    assert.deepEqual(preview.totals, totals)
    assert.deepEqual(await store.terms(), BEFORE, 'a preview changes nothing')
    assert.deepEqual(await store.preview(`price=35&apply_to=${applyTo}`), preview)

    const events = await store.recorded(() => store.version({ price: '35.00', apply_to: applyTo }))
    const after = await store.terms()
    assert.deepEqual(after, { ...BEFORE, ...expected })
    const changed = preview.data.filter((one: any) => one.outcome === 'changed')
    assert.deepEqual(
      events.map(({ type, data }: RecordedEvent) => [type, data.subscription_id, data.changes.price]).sort(),
      changed
        .map((one: any) => [
          'subscription.updated',
          one.subscription_id,
          { from: one.from.price, to: one.to.price ?? one.to.unit_price }
        ])
        .sort()
    )
    assert.deepEqual((await store.preview('price=35&apply_to=all')).version, 3)
    await store.soundBooks()
  })
}

test('a preview names who, from which price and to which, or why not', async () => {
  const store = await aPricedStore()
  const { data } = await store.preview('price=35')
  const [plain, own] = data
  assert.deepEqual(
    { ...plain, customer_id: null },
    {
      subscription_id: store.idOf('plain'),
      customer_id: null,
      email: 'plain@example.com',
      status: 'active',
      outcome: 'changed',
      reason: null,
      from: { price: 29, unit_price: 29, interval: 'month', interval_count: 1 },
      to: { price: 35, unit_price: 35, interval: 'month', interval_count: 1 }
    }
  )
  assert.match(plain.customer_id, /^cust_\d+$/)
  assert.deepEqual([own.outcome, own.reason, own.from.price, own.to.price], ['kept', 'own_price', 20, 20])
  const all = (await store.preview('price=35&apply_to=all')).data
  assert.deepEqual(
    [all[1].outcome, all[1].to],
    ['changed', { price: null, unit_price: 35, interval: 'month', interval_count: 1 }]
  )
  assert.deepEqual(
    all.map((one: any) => one.reason),
    [null, null, null, 'own_interval', null]
  )
  // What asks for no price leaves the contracts alone.
  assert.deepEqual((await store.preview('credit=5&apply_to=running')).totals.same, 5)
})

test('its pages are bounded and have every subscription once, with the totals of all', async () => {
  const store = await aPricedStore()
  const seen: string[] = []
  for (let after = ''; ; ) {
    const page = await store.preview(`price=35&limit=2${after}`)
    assert.ok(page.data.length <= 2)
    assert.equal(page.totals.subscriptions, 5)
    seen.push(...page.data.map((one: any) => one.subscription_id))
    if (page.next === null) break
    assert.equal(page.next, seen.at(-1))
    after = `&after=${page.next}`
  }
  assert.deepEqual(
    seen,
    ['plain', 'own', 'paused', 'yearly', 'slow'].map((name) => store.idOf(name))
  )
  for (const [query, refusal] of [
    ['price=35&limit=101', /400.*limit/],
    ['price=35&after=nothing', /404/],
    ['price=x', /400.*price/],
    ['price=35&apply_to=new', /400.*apply_to/]
  ] as const) {
    await assert.rejects(store.preview(query), refusal)
  }
  const other = await aPricedStore()
  await assert.rejects(
    service.admin('GET', `${other.at}/plans/${store.plan}/versions/preview?price=35`),
    /404.*There is no plan/
  )
})

test('a version for running subscriptions is added only as it was previewed', async () => {
  const store = await aPricedStore()
  const { preview } = await store.preview('price=35&apply_to=all')
  const stale = /409.*preview is not of this version as it would be now.*"field":"preview","code":"invalid"/
  for (const applyTo of ['list_price', 'all', 'running']) {
    await assert.rejects(store.addVersion({ price: '35.00', apply_to: applyTo }), /400.*preview must be.*"required"/)
  }
  for (const other of [
    { price: '36.00', apply_to: 'all' },
    { price: '35.00', apply_to: 'list_price' },
    { price: '35.00', apply_to: 'all', credit: '1.00' },
    { price: '35.00', apply_to: 'all', interval: 'year' }
  ]) {
    await assert.rejects(store.addVersion({ ...other, preview }), stale)
  }
  for (const change of [
    () => store.change(store.idOf('paused'), { price: '21.00' }),
    () => store.settle(),
    () => store.member('later@example.com', 'Gold').then(store.settle),
    // As a price that somebody has changed on the platform.
    () => setPrice(store.storeId, store.idOf('slow'), 2800, null),
    () => setPrice(store.storeId, store.idOf('slow'), 2800, 2800),
    () => service.admin('POST', `${store.at}/subscriptions/${store.idOf('plain')}/cancel`),
    () => store.version({ price: '29.00', credit: '1.00', apply_to: 'new' })
  ]) {
    const { preview: before } = await store.preview('price=35&apply_to=all')
    await change()
    await assert.rejects(store.addVersion({ price: '35.00', apply_to: 'all', preview: before }), stale)
  }
  const { versions } = await service.admin('GET', `${store.at}/plans/${store.plan}`)
  assert.deepEqual(
    versions.map((one: any) => one.version),
    [2, 1],
    'what is refused adds no version'
  )
  const { preview: present } = await store.preview('price=35&apply_to=all&limit=2')
  assert.equal((await store.preview('price=35&apply_to=all')).preview, present, 'on each page')
  await store.addVersion({ price: '35.00', apply_to: 'all', preview: present })
})

test('a price that is agreed after the preview stays, also where the version is for all', async () => {
  const store = await aPricedStore()
  const planId = await goldOf(store.storeId)
  const since = (await service.db.inStore(store.storeId, async ({ now }) => now)).toString()
  await store.advance({ by: 'PT1H' })
  await store.version({ price: '35.00', apply_to: 'new' })
  // Somebody asked for one price, which the contract does not have yet; and another is agreed on the platform.
  await service.db.inStore(store.storeId, ({ tx, now }) =>
    tx.run(sql`
      insert into subscription_changes (store_id, subscription_id, price_minor, actor, requested_at)
      values (${store.storeId}, ${Number(store.idOf('paused').slice(4))}, 1900, 'api', ${now})`)
  )
  await store.change(store.idOf('plain'), { price: '23.00' })
  // Two that are new: nobody has seen their prices.
  const others = [await store.newMember('new-own', '20.00'), await store.newMember('new-plain')]
  await service.db.inStore(store.storeId, (ctx) =>
    enqueue(ctx, followPlanVersionJob, [{ planId, version: 2, target: 'all', afterId: 0, since }])
  )
  await store.settle()
  const terms = await store.terms()
  assert.deepEqual(
    [terms.plain, terms.own, terms.paused, terms.slow],
    [
      [23, ...MONTH, 1],
      [35, ...MONTH, 2],
      // Its own request waits, in place of the version.
      [29, ...MONTH, 1],
      [35, 'week', 6, 2]
    ]
  )
  const prices = await Promise.all(
    others.map(async (id) => (await service.admin('GET', `${store.at}/subscriptions/${id}`)).price)
  )
  assert.deepEqual(prices, [20, 35])
})

test('what is agreed at the very time of the preview stays if the preview did not show it', async () => {
  const store = await aPricedStore()
  // The clock of the store stands still, so all of this has the same time.
  await store.change(store.idOf('slow'), { price: '21.00' })
  await store.settle()
  await store.version({ price: '35.00', apply_to: 'all' })
  await store.change(store.idOf('plain'), { price: '23.00' })
  await store.settle()
  const { plain, slow, own } = await store.terms()
  assert.deepEqual(
    [plain, slow, own],
    [
      [23, ...MONTH, 1],
      [21, 'week', 6, 1],
      [35, ...MONTH, 2]
    ]
  )
})

test('the list price is recognised in a trial, for several pieces, and after another one was agreed', async () => {
  const store = await aStoreWithEvents(service)
  const { id: plan } = await service.admin('POST', `${store.at}/plans`, {
    name: 'Gold',
    type: 'vip',
    price: '29.00',
    interval: 'month',
    trial_days: 10,
    trial_price: '1.50'
  })
  const contracts = []
  for (const name of ['trial', 'two', 'own']) {
    contracts.push(store.contract((await store.member(`${name}@example.com`, 'Gold')).contract_id))
  }
  await store.settle()
  await store.advance({ to: '2026-02-11T00:00:00Z' })
  const [, two, own] = contracts
  await two!.edit({ line: { quantity: 2 } })
  await own!.edit({ line: { currentPrice: '28.00' } })
  await store.member('later@example.com', 'Gold')
  await store.settle()
  const { data } = await service.admin('GET', `${store.at}/plans/${plan}/versions/preview?price=35`)
  assert.deepEqual(
    data.map((one: any) => [
      one.email,
      one.from.price,
      one.from.unit_price,
      one.outcome,
      one.to.price,
      one.to.unit_price
    ]),
    [
      ['trial@example.com', 29, 29, 'changed', 35, 35],
      ['two@example.com', 58, 29, 'changed', null, 35],
      ['own@example.com', 28, 28, 'kept', 28, 28],
      ['later@example.com', 29, 29, 'changed', 35, 35]
    ]
  )
})

test('a price that is requested and still waits is an agreed price', async () => {
  const store = await aPricedStore()
  await service.db.inStore(store.storeId, ({ tx }) =>
    tx.run(sql`
      insert into subscription_changes (store_id, subscription_id, price_minor, actor, requested_at)
      values (${store.storeId}, ${Number(store.idOf('plain').slice(4))}, 1900, 'api', '2026-01-31T15:00:00Z')`)
  )
  const { data } = await store.preview('price=35')
  assert.deepEqual([data[0].outcome, data[0].reason], ['kept', 'own_price'])
})

test('a second version for running subscriptions is refused until the first is brought to all', async () => {
  const store = await aPricedStore()
  const planId = await goldOf(store.storeId)
  for (const add of [
    (ctx: Ctx) => enqueue(ctx, followPlanVersionJob, [{ planId, version: 1, target: 'all', afterId: 0 }]),
    (ctx: Ctx) => enqueue(ctx, applyPlanVersionJob, [{ planId, version: 1 }])
  ]) {
    await service.db.inStore(store.storeId, add)
    for (const applyTo of ['list_price', 'all', 'running']) {
      await assert.rejects(
        store.version({ price: '35.00', apply_to: applyTo }),
        /409.*An earlier version of plan plan_\d+ is still being brought to its subscriptions/
      )
    }
    await store.settle()
  }
  await store.version({ price: '35.00', apply_to: 'new' })
  const { versions } = await service.admin('GET', `${store.at}/plans/${store.plan}`)
  assert.deepEqual(
    versions.map((one: any) => [one.version, one.apply_to]),
    [
      [2, 'new'],
      [1, 'new']
    ]
  )
  await store.version({ price: '36.00', apply_to: 'running' })
  await store.settle()
  await store.version({ price: '36.00', apply_to: 'all' })
  assert.deepEqual(
    (await service.admin('GET', `${store.at}/plans/${store.plan}`)).versions.map((one: any) => one.apply_to),
    ['all', 'list_price', 'new', 'new']
  )
})

test('the job of a node with older code keeps agreed prices too', async () => {
  const store = await aPricedStore()
  await store.version({ price: '35.00', apply_to: 'new' })
  const planId = await goldOf(store.storeId)
  await service.db.inStore(store.storeId, (ctx) => enqueue(ctx, applyPlanVersionJob, [{ planId, version: 2 }]))
  await store.settle()
  const terms = await store.terms()
  assert.deepEqual([terms.plain, terms.own], [[35, ...MONTH, 2], BEFORE.own])
})

test('a large plan is brought to a version batch by batch, each subscription once, as the preview says', async () => {
  const { db, deps } = service
  const store = await aDueStore(db, { subscriptions: 4_500, dueAt: Temporal.Instant.from('2026-03-01T00:00:00Z') })
  const { id: planId } = (await store.inStore(listPlans))[0]!
  await store.inStore(async ({ tx, storeId, now }) => {
    // Every third has a price of its own; so a batch that began again after what it moved would meet them again.
    await tx.run(sql`update subscriptions set price_minor = 2000 where store_id = ${storeId} and id % 3 = 0`)
    await tx.run(sql`
      insert into plan_versions (store_id, plan_id, version, price_minor, interval, interval_count, credit_minor,
                                 platform_selling_plan_id, applies_to, running_prices, created_at)
      select store_id, plan_id, 2, 3500, interval, interval_count, 0, platform_selling_plan_id, 'running', 'list_price', ${now}
        from plan_versions where store_id = ${storeId} and plan_id = ${planId}`)
    await tx.run(sql`update plans set current_version = 2 where store_id = ${storeId} and id = ${planId}`)
  })
  const offer = { version: 2, priceMinor: 3500, interval: 'month', intervalCount: 1, creditMinor: 0 } as const
  const { totals } = await store.inStore((ctx) =>
    previewPlanVersion(ctx, planId, offer, { target: 'list_price', afterId: 0, limit: 1 })
  )
  let input = { planId, version: 2, target: 'list_price' as const, afterId: 0 }
  const batches: number[] = []
  for (;;) {
    const job = { input, attempts: 1, renewLease: async () => {} }
    const [outcome] = await applyPlanVersion.run(deps, store.storeId, [job])
    batches.push(await changesOf(store.inStore))
    if (outcome!.done) break
    assert.ok('continues' in outcome!)
    input = followPlanVersionJob.parse(outcome.input) as typeof input
    assert.ok(batches.length < 5)
  }
  const counted = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ isOwn: bool, version: nullable(int), count: int, waiting: int }),
      sql`
      select s.price_minor = 2000 as is_own, s.plan_version as version, count(*) as count, count(c.subscription_id) as waiting
        from subscriptions s
        left join subscription_changes c on c.store_id = ${storeId} and c.subscription_id = s.id
       where s.store_id = ${storeId} group by 1, 2 order by 1`
    )
  )
  assert.deepEqual(counted, [
    { isOwn: false, version: 2, count: totals.changed, waiting: totals.changed },
    { isOwn: true, version: null, count: totals.kept.own_price, waiting: 0 }
  ])
  assert.deepEqual([totals.changed + totals.kept.own_price, totals.same, batches.length], [4_500, 0, 3])
})

const changesOf = (inStore: <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>) =>
  inStore(async ({ tx, storeId }) => {
    const { count } = await tx.one(
      row({ count: int }),
      sql`select count(*) as count from subscription_changes where store_id = ${storeId}`
    )
    return count
  })
