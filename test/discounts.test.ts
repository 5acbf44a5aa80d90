// The automatic discounts that give members their prices at the platform's checkout. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditWarnings } from '#audit'
import { row, sql, text } from '#kit/postgres'
import type { Connector, PlatformFailure, PlatformResult } from '#platform'
import { createDiscountEngine } from '../src/mirror/discounts/discount-engine.ts'
import { keysOf } from '../src/mirror/metafields/all-metafields.ts'
import { adminOf } from './admin-calls.ts'
import { commandLine } from './command-line.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)
const { json, run } = commandLine(service)

const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }
const TENTH = { discount: { value: 10, type: 'percentage', price_base: 'sale' } }

async function aShop(perks: object = TENTH) {
  const store = await service.aStore()
  const { storeId } = store
  const connector = await service.deps.connectorOf(storeId)
  const api = connector.automaticDiscounts
  const { controls } = service.sandbox
  const settle = () => service.deps.settle(storeId)
  const vip = (await service.admin('GET', `${store.at}/plans`)).data[0].id as string
  const setPerks = async (perks: object, plan = vip) => {
    const done = await call(store, 'PATCH', `/plans/${plan}`, { perks })
    assert.equal(done.status, 200, JSON.stringify(done.body))
    await settle()
  }
  await setPerks(perks)
  const set = async (discounts: object) => {
    const done = await call(store, 'PATCH', '/settings', { discounts })
    await settle()
    return done
  }
  const shown = async () => (await call(store, 'GET', '/platform/discounts')).body
  const nodes = async () =>
    Object.fromEntries((await shown()).discounts.map((one: { slot: string }) => [one.slot, one]))
  const sync = async () => {
    const done = await call(store, 'POST', '/platform/discounts/sync', {})
    assert.equal(done.status, 202, JSON.stringify(done.body))
    await settle()
    return done.body
  }
  const found = async (id: string) => {
    const many = await api.findMany([id], 'USD')
    assert.ok(many.ok, JSON.stringify(many))
    return many.value.get(id)
  }
  const member = async (email = 'ada@example.com', plan = 'VIP') => {
    const { customer } = await store.member(email, plan)
    await settle()
    return customer.id as string
  }
  const person = async (email: string) => (await store.customer(email)).id as string
  /** What is taken off two blue mugs at 18.00, and off their shipping. */
  const off = async (
    customerId: string | null,
    lines: object[] = [{ variant: 'MUG-BLUE', quantity: 2 }],
    more = {}
  ) => {
    const { totals } = await controls.previewOrder({ storeId, customerId, lines, ...more } as never)
    return totals.discounts.map(({ title, amountMinor }) => [title, amountMinor])
  }
  const functions = (...handles: string[]) =>
    controls.setFunctions({ storeId, functions: handles.map((handle) => ({ handle })) })
  const idOf = async (kind: 'product' | 'collection', handle: string) => {
    const query = `{ ${kind}ByIdentifier(identifier: { handle: "${handle}" }) { id } }`
    const response = await fetch(`${store.platform_url}/admin/api/2026-07/graphql.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-platform-access-token': store.platform_token },
      body: JSON.stringify({ query })
    })
    const { data } = (await response.json()) as any
    return data[`${kind}ByIdentifier`].id.split('/').at(-1) as string
  }
  const shopField = async (field: string) => {
    const read = await connector.metafields.findOfShop(keysOf('shop'))
    assert.ok(read.ok)
    return JSON.parse(read.value.metafields.get('svc_plan_settings')!.value)[field]
  }
  const productOf = async (plan: string) => {
    const { platformProductId } = await db.inStore(storeId, ({ tx }) =>
      tx.one(
        row({ platformProductId: text }),
        sql`select platform_product_id from plans where store_id = ${storeId} and name = ${plan}`
      )
    )
    return platformProductId
  }
  const metafieldOf = async (id: string) => {
    const read = await connector.metafields.findMany('discount', [id], keysOf('discount'))
    assert.ok(read.ok)
    return Object.fromEntries([...read.value.get(id)!].map(([key, { value }]) => [key, JSON.parse(value)]))
  }
  const warnings = async () =>
    (await db.inStore(storeId, auditWarnings)).filter(({ check }) => /^(discounts_kept|perks_enforced)$/.test(check))
  /** The engine alone, with some calls replaced, and as often as it takes. */
  const withApi = (calls: Partial<Connector['automaticDiscounts']>) =>
    createDiscountEngine({
      db,
      leaseOwner: 1,
      connectorOf: async () => withCalls(connector, { automaticDiscounts: calls })
    })
  const due = () =>
    db.inStore(storeId, (ctx) =>
      ctx.tx.run(
        sql`update discount_stores set next_at = statement_timestamp(), is_asked = true where store_id = ${ctx.storeId}`
      )
    )
  return {
    store,
    storeId,
    connector,
    api,
    controls,
    settle,
    vip,
    setPerks,
    set,
    shown,
    nodes,
    sync,
    found,
    member,
    person,
    off,
    idOf,
    functions,
    shopField,
    productOf,
    metafieldOf,
    warnings,
    withApi,
    due
  }
}

test('natively a member pays less at the checkout and nobody else does; what is not given is said', async () => {
  const shop = await aShop({
    ...TENTH,
    free_shipping: { countries: [], message: 'Members ship free', threshold: { type: 'subtotal', value: 30 } },
    welcome_offer: { value: 5, type: 'fixed' }
  })
  const [ada, bob] = [await shop.member(), await shop.person('bob@example.com')]
  assert.deepEqual((await shop.set({ enforced_by: 'native' })).status, 200)
  assert.deepEqual(await shop.off(ada), [['VIP', 360]])
  assert.deepEqual(await shop.off(bob), [])
  assert.deepEqual(await shop.off(null), [])
  const nodes = await shop.nodes()
  assert.deepEqual(Object.keys(nodes), ['vip_prices', 'vip_shipping'])
  assert.deepEqual((await shop.found(nodes.vip_shipping.platform_id))!.discount, {
    kind: 'free_shipping',
    title: 'Members ship free',
    segmentIds: (await shop.found(nodes.vip_prices.platform_id))!.has.segmentIds,
    combinesWith: { order: true, product: true, shipping: false },
    onSubscriptions: false,
    least: { subtotalMinor: 3000 },
    countries: []
  })
  assert.equal(await shop.shopField('function_on'), '')
  const { not_enforced } = await shop.shown()
  assert.deepEqual(
    not_enforced.map(({ field }: { field: string }) => field),
    ['perks.discount', 'perks.discount', 'perks.discount', 'perks.welcome_offer', 'perks.free_shipping']
  )
  assert.deepEqual(
    (await shop.warnings()).map(({ check, subject }) => [check, subject]),
    [['perks_enforced', 'vip perks.welcome_offer']]
  )
  const { out } = await run(['platform', 'discounts', '--store', shop.store.domain])
  assert.match(out, /vip_prices +\d+ +true/)
  assert.match(
    out,
    /\nThe discounts as of \S+Z, when they were last compared with the platform; the next comparison is at \S+Z \(real time\)/
  )
  assert.match(out, /vip perks\.welcome_offer: there is no welcome offer/)
})

test('a native discount follows the perks of the plan, and is ended with them', async () => {
  const shop = await aShop()
  const ada = await shop.member()
  await shop.set({ enforced_by: 'native' })
  const { platform_id: id } = (await shop.nodes()).vip_prices
  await shop.setPerks({ discount: { value: 5, type: 'fixed', price_base: 'sale' } })
  assert.deepEqual(await shop.off(ada), [['VIP', 1000]])
  assert.equal((await shop.nodes()).vip_prices.platform_id, id, 'it is changed, not made anew')
  await shop.setPerks({ discount: null })
  assert.deepEqual(await shop.off(ada), [])
  assert.equal((await shop.found(id))!.isActive, false)
  await shop.setPerks({ discount: { value: 12.5, type: 'percentage', price_base: 'sale' } })
  assert.deepEqual(await shop.off(ada), [['VIP', 450]])
  assert.equal((await shop.nodes()).vip_prices.platform_id, id, 'the same begins again')
})

test('a native discount is for the collections or products of the perk', async () => {
  const shop = await aShop()
  const ada = await shop.member()
  await shop.set({ enforced_by: 'native' })
  const mug = await shop.idOf('product', 'stoneware-mug')
  const ceramics = await shop.idOf('collection', 'ceramics')
  const scoped = (scope: object) => ({ discount: { value: 10, type: 'percentage', price_base: 'sale', ...scope } })
  const lines = [{ variant: 'MUG-BLUE' }, { variant: 'PAPER-100' }]
  await shop.setPerks(scoped({ applies_to: 'product', product_ids: [mug] }))
  assert.deepEqual(await shop.off(ada, lines), [['VIP', 180]])
  await shop.setPerks(scoped({ applies_to: 'collection', collection_ids: [ceramics] }))
  assert.deepEqual(await shop.off(ada, lines), [['VIP', 180]])
  await shop.setPerks(TENTH)
  assert.deepEqual(await shop.off(ada, lines), [['VIP', 240]])
  await shop.setPerks({
    discount: { value: 10, type: 'percentage', price_base: 'sale', applies_to: 'product', product_ids: ['999999'] }
  })
  assert.match((await shop.nodes()).vip_prices.problem, /Product with id: 999999 is invalid/)
  assert.deepEqual(
    (await shop.warnings()).map(({ check, subject }) => [check, subject]),
    [['discounts_kept', 'discount vip_prices']]
  )
  await shop.setPerks(TENTH)
  assert.equal((await shop.nodes()).vip_prices.problem, null)
  assert.deepEqual(await shop.off(ada), [['VIP', 360]])
})

test('of who holds VIP and Elite, Elite counts alone', async () => {
  const shop = await aShop()
  await call(shop.store, 'POST', '/plans', {
    name: 'Elite',
    type: 'elite',
    price: '99.00',
    interval: 'month',
    perks: { discount: { value: 5, type: 'percentage', price_base: 'sale' } }
  })
  const ada = await shop.member('ada@example.com')
  await shop.set({ enforced_by: 'native' })
  assert.deepEqual(await shop.off(ada), [['VIP', 360]])
  await shop.store.member('ada@example.com', 'Elite')
  await shop.settle()
  assert.deepEqual(await shop.off(ada), [['Elite', 180]])
})

test('where a function is configured, one discount of prices and one of shipping run it, with their metafield', async () => {
  const shop = await aShop({
    discount: { value: 10, type: 'percentage', applies_to: 'collection', collection_ids: ['7', '8'] }
  })
  await shop.functions('member-discounts')
  const refused = await shop.set({ enforced_by: 'function' })
  assert.equal(refused.status, 400)
  assert.match(JSON.stringify(refused.body), /discounts\.function_handle/)
  await shop.set({ enforced_by: 'function', function_handle: 'member-discounts' })
  const nodes = await shop.nodes()
  assert.deepEqual(Object.keys(nodes), ['prices', 'shipping'])
  for (const [slot, classes] of [
    ['prices', ['PRODUCT']],
    ['shipping', ['SHIPPING']]
  ] as const) {
    const found = (await shop.found(nodes[slot].platform_id))!
    assert.ok(found.isActive && found.discount?.kind === 'app')
    assert.deepEqual(found.discount.classes, classes)
    assert.deepEqual(await shop.metafieldOf(found.id), {
      svc_collection_ids: {
        customerVipTag: ['SVC: VIP: Active'],
        customerEliteTag: ['SVC: Elite: Active'],
        collectionIds: ['gid://platform/Collection/7', 'gid://platform/Collection/8']
      },
      svc_membership_products: { vip: [await shop.productOf('VIP')], elite: [] }
    })
  }
  assert.deepEqual([await shop.shopField('function_on'), await shop.shopField('scripts_on')], [1, 1])
  assert.deepEqual((await shop.shown()).not_enforced, [])
  await shop.setPerks(TENTH)
  const after = await shop.metafieldOf(nodes.prices.platform_id)
  assert.deepEqual(after.svc_collection_ids.collectionIds, [])
  const [ada, bob] = [await shop.member(), await shop.person('bob@example.com')]
  assert.deepEqual(await shop.off(ada), [['VIP member price', 360]])
  assert.deepEqual(await shop.off(bob), [])
  assert.deepEqual((await call(shop.store, 'GET', '/metafields')).body.differences, [])
})

test('the function knows the memberships of every plan: none is reduced, and each has its perks in the cart that buys it', async () => {
  const shop = await aShop()
  await shop.functions('member-discounts')
  await shop.set({ enforced_by: 'function', function_handle: 'member-discounts' })
  const ada = await shop.member()
  const annual = { name: 'VIP annual', type: 'vip', price: '290.00', interval: 'year' }
  assert.equal((await call(shop.store, 'POST', '/plans', annual)).status, 201)
  const elite = { name: 'Elite', type: 'elite', price: '99.00', interval: 'month' }
  assert.equal((await call(shop.store, 'POST', '/plans', elite)).status, 201)
  await shop.settle()
  const { prices } = await shop.nodes()
  assert.deepEqual((await shop.metafieldOf(prices.platform_id)).svc_membership_products, {
    vip: [await shop.productOf('VIP'), await shop.productOf('VIP annual')],
    elite: [await shop.productOf('Elite')]
  })
  const mug = { variant: 'MUG-BLUE', quantity: 2 }
  assert.deepEqual(await shop.off(ada, [mug, { plan: 'VIP annual' }]), [['VIP member price', 360]])
  const bob = await shop.person('bob@example.com')
  assert.deepEqual(await shop.off(bob, [mug]), [])
  assert.deepEqual(await shop.off(bob, [mug, { plan: 'VIP annual' }]), [['VIP member price', 360]])
  assert.deepEqual((await call(shop.store, 'GET', '/metafields')).body.differences, [])
})

test('what somebody changes or deletes by hand is corrected, and its metafield too', async () => {
  const shop = await aShop()
  await shop.functions('member-discounts')
  await shop.set({ enforced_by: 'function', function_handle: 'member-discounts' })
  const ada = await shop.member()
  const before = await shop.nodes()
  const prices = (await shop.found(before.prices.platform_id))!
  // Another title, other classes, and an end that is far away.
  const other = { ...prices.discount!, title: 'Summer', classes: ['ORDER'] } as never
  assert.ok((await shop.api.update(prices, other, 'USD')).ok)
  assert.ok((await shop.api.delete(before.shipping.platform_id)).ok)
  const place = { owner: 'discount' as const, ownerId: prices.id, key: 'svc_collection_ids' }
  assert.ok((await shop.connector.metafields.delete([place])).ok)
  await shop.sync()
  const after = await shop.nodes()
  assert.equal(after.prices.platform_id, before.prices.platform_id)
  assert.notEqual(after.shipping.platform_id, before.shipping.platform_id)
  assert.deepEqual((await shop.found(prices.id))!.discount, prices.discount)
  assert.ok((await shop.metafieldOf(after.shipping.platform_id)).svc_collection_ids)
  await call(shop.store, 'POST', '/metafields/sync', {})
  await shop.settle()
  assert.ok((await shop.metafieldOf(prices.id)).svc_collection_ids)
  assert.ok((await shop.api.deactivate(prices.id)).ok)
  assert.deepEqual(await shop.off(ada), [])
  await shop.sync()
  assert.deepEqual(await shop.off(ada), [['VIP member price', 360]])
})

test('natively too: an end, other customers and other goods are taken away again', async () => {
  const shop = await aShop()
  await shop.set({ enforced_by: 'native' })
  const ada = await shop.member()
  const node = (await shop.nodes()).vip_prices
  const found = (await shop.found(node.platform_id))!
  const byHand = { ...found.discount!, title: 'All', segmentIds: [], value: { percent: 50 } } as never
  assert.ok((await shop.api.update(found, byHand, 'USD')).ok)
  assert.deepEqual(await shop.off(null), [['All', 1800]])
  await shop.sync()
  assert.deepEqual(await shop.off(null), [])
  assert.deepEqual(await shop.off(ada), [['VIP', 360]])
  // The segment is of other customers now, and then gone.
  const [segmentId] = found.has.segmentIds
  const { segments } = shop.connector
  const named = { name: 'Active VIP members', query: "customer_tags CONTAINS 'nobody'" }
  assert.ok((await segments.update({ id: segmentId!, ...named })).ok)
  assert.deepEqual(await shop.off(ada), [])
  await shop.sync()
  assert.deepEqual(await shop.off(ada), [['VIP', 360]])
})

test('switched off they are ended, and ended they stay; the other kind replaces them', async () => {
  const shop = await aShop()
  await shop.functions('member-discounts')
  await shop.set({ enforced_by: 'function', function_handle: 'member-discounts' })
  const ada = await shop.member()
  const { prices, shipping } = await shop.nodes()
  await shop.set({ enforced_by: 'native' })
  assert.deepEqual(await shop.off(ada), [['VIP', 360]])
  assert.equal(await shop.shopField('function_on'), '')
  for (const { platform_id } of [prices, shipping]) assert.equal((await shop.found(platform_id))!.isActive, false)
  await shop.set({ enforced_by: 'off' })
  assert.deepEqual(await shop.off(ada), [])
  // Somebody begins one again by hand.
  assert.ok((await shop.api.activate(prices.platform_id)).ok)
  await shop.sync()
  assert.equal((await shop.found(prices.platform_id))!.isActive, false)
  await shop.set({ enforced_by: 'function' })
  assert.equal((await shop.nodes()).prices.platform_id, prices.platform_id)
  assert.deepEqual(await shop.off(ada), [['VIP member price', 360]])
})

test('one that the platform does not end keeps no other from its own, is said, and is ended by the next comparison', async () => {
  const shipping = { free_shipping: { countries: [], message: 'Members ship free' } }
  const shop = await aShop({ ...TENTH, ...shipping })
  await shop.set({ enforced_by: 'native' })
  const before = await shop.nodes()
  const shippingId = before.vip_shipping.platform_id
  const refuses = shop.withApi({
    deactivate: async () => ({ ok: false, failure: { kind: 'rejected', message: 'It is locked by another app' } })
  })
  const done = await call(shop.store, 'PATCH', `/plans/${shop.vip}`, {
    perks: { discount: { value: 20, type: 'percentage', price_base: 'sale' }, free_shipping: null }
  })
  assert.equal(done.status, 200)
  await shop.due()
  assert.equal(await refuses.runOnce(shop.storeId), 1)
  const found = (await shop.found(before.vip_prices.platform_id))!.discount
  assert.deepEqual(found?.kind === 'basic' && found.value, { percent: 20 }, 'the others go on')
  const problem = 'It is not wanted any more, and cannot be ended: It is locked by another app'
  const { vip_prices, vip_shipping } = await shop.nodes()
  assert.deepEqual(
    [vip_prices.problem, vip_shipping.problem, vip_shipping.active, vip_shipping.platform_id],
    [null, problem, true, shippingId]
  )
  const { last_error } = await shop.shown()
  assert.equal(last_error, null)
  assert.deepEqual(
    (await shop.warnings()).filter(({ check }) => check === 'discounts_kept'),
    [{ check: 'discounts_kept', subject: 'discount vip_shipping', message: problem }]
  )
  assert.match(
    (await run(['platform', 'discounts', '--store', shop.store.domain])).out,
    /cannot be ended: It is locked/
  )
  await shop.due()
  while ((await shop.withApi({}).runOnce(shop.storeId)) > 0);
  assert.equal((await shop.found(shippingId))!.isActive, false)
  const after = (await shop.nodes()).vip_shipping
  assert.deepEqual([after.problem, after.active], [null, false])
})

test('a function that is not in the shop is said, and takes nothing away', async () => {
  const shop = await aShop()
  await shop.set({ enforced_by: 'function', function_handle: 'nothing-there' })
  const { discounts } = await shop.sync()
  for (const { problem, platform_id } of discounts) {
    assert.match(problem, /no function with the handle nothing-there/)
    assert.equal(platform_id, null)
  }
  assert.deepEqual(
    (await shop.warnings()).map(({ check, subject }) => [check, subject]),
    [
      ['discounts_kept', 'discount prices'],
      ['discounts_kept', 'discount shipping']
    ]
  )
  await shop.functions('nothing-there')
  const shown = await json('platform', 'sync-discounts', '--store', shop.store.domain)
  assert.deepEqual(
    shown.discounts.map(({ problem }: { problem: unknown }) => problem),
    [null, null]
  )
})

for (const [what, lose] of [
  ['the answer to the creation is lost', true],
  ['the creation never arrived', false]
] as const) {
  test(`there is one discount of each kind when ${what}`, async () => {
    const shop = await aShop()
    await db.inStore(shop.storeId, (ctx) =>
      ctx.tx.run(sql`
      update stores set settings = jsonb_set(settings, '{discounts}', '{"enforcedBy":"native"}') where store_id = ${ctx.storeId}`)
    )
    await shop.due()
    const engine = shop.withApi({
      create: async (
        ...args: Parameters<Connector['automaticDiscounts']['create']>
      ): Promise<PlatformResult<string>> => {
        if (lose) await shop.api.create(...args)
        return { ok: false, failure: LOST }
      }
    })
    await engine.runOnce(shop.storeId)
    assert.deepEqual((await shop.shown()).discounts, [])
    assert.match((await shop.shown()).last_error, /lost/)
    await shop.due()
    await shop.settle()
    const all = await shop.api.findByTitle('VIP', 'USD')
    assert.ok(all.ok)
    assert.deepEqual(
      all.value.map(({ id }) => id),
      [(await shop.nodes()).vip_prices.platform_id]
    )
  })
}

test("another's discount of the same title is left alone", async () => {
  const shop = await aShop()
  const [at] = [{ startsAt: Temporal.Instant.from('2026-01-01T00:00:00Z'), currency: 'USD' }]
  const others = await shop.api.create(
    {
      kind: 'basic',
      title: 'VIP',
      segmentIds: [],
      combinesWith: { order: false, product: false, shipping: false },
      onSubscriptions: false,
      value: { percent: 1 },
      items: 'all'
    },
    at
  )
  assert.ok(others.ok)
  await shop.set({ enforced_by: 'native' })
  const node = (await shop.nodes()).vip_prices
  assert.notEqual(node.platform_id, others.value)
  const found = (await shop.found(others.value))!.discount
  assert.ok(found?.kind === 'basic')
  assert.deepEqual([found.segmentIds, found.value], [[], { percent: 1 }])
})
