// The metafields that we keep on the shop and its customers. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bool, int, nullable, row, sql, text } from '#kit/postgres'
import type { Connector, PlatformFailure } from '#platform'
import { updateStorefrontSetting } from '#storefront-settings'
import { keysOf, METAFIELDS } from '../src/mirror/metafields/all-metafields.ts'
import { createMetafieldEngine } from '../src/mirror/metafields/metafield-engine.ts'
import { beginMetafields, findMetafieldTotals } from '../src/mirror/metafields/metafield-store.ts'
import { createMetafieldWalkEngine } from '../src/mirror/metafields/metafield-walk-engine.ts'
import { refreshCustomerMetafields, refreshShopMetafields } from '../src/mirror/metafields/refresh-metafields.ts'
import { adminOf } from './admin-calls.ts'
import { commandLine } from './command-line.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)
const { run } = commandLine(service)

/** A mutation whose answer is lost after it was carried out. */
const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }

/** Rounds until nothing is left to do. */
async function runOut(engine: ReturnType<typeof createMetafieldEngine>, storeId: number) {
  while ((await engine.runOnce(storeId)) > 0);
}

const BASE = ['svc_hash', 'svc_member_details', 'svc_st']

async function aShop() {
  const store = await service.aStore()
  const connector = await service.deps.connectorOf(store.storeId)
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(store.storeId, work)
  const settle = () => service.deps.settle(store.storeId)
  await settle()
  const shop = async () => {
    const found = await connector.metafields.findOfShop(keysOf('shop'))
    assert.ok(found.ok)
    return new Map([...found.value.metafields].map(([key, { value }]) => [key, value]))
  }
  const found = async (id: string) => {
    const many = await connector.metafields.findMany('customer', [id], keysOf('customer'))
    assert.ok(many.ok)
    return many.value.get(id)!
  }
  const of = async (id: string) =>
    new Map([...(await found(id))].map(([key, { type, value }]) => [key, type === 'json' ? JSON.parse(value) : value]))
  /** As somebody does it in the shop, or another app. */
  const setByHand = async (id: string, key: string, type: 'json' | 'number_decimal', value: string) => {
    const seenDigest = (await found(id)).get(key)?.digest ?? null
    const done = await connector.metafields.set([{ owner: 'customer', ownerId: id, key, type, value, seenDigest }])
    assert.ok(done.ok, JSON.stringify(done))
  }
  const owner = (id: string) =>
    inStore((ctx) =>
      ctx.tx.one(
        row({ dueAt: nullable(text), attempts: int, problem: nullable(text), lastError: nullable(text) }),
        sql`
        select o.due_at::text as due_at, o.attempts, o.problem, o.last_error
          from members m join metafield_owners o on o.store_id = ${ctx.storeId} and o.kind = 'customer' and o.owner_id = m.id
         where m.store_id = ${ctx.storeId} and m.platform_customer_id = ${id}`
      )
    )
  const join = async (email: string, planName = 'VIP') => {
    const { customer } = await store.member(email, planName)
    await settle()
    return customer.id as string
  }
  const subscriptionOf = async (customerId: string) => {
    const found = await inStore((ctx) =>
      ctx.tx.many(
        row({ id: int }),
        sql`
        select s.id from members m join subscriptions s on s.store_id = ${ctx.storeId} and s.member_id = m.id
         where m.store_id = ${ctx.storeId} and m.platform_customer_id = ${customerId} order by s.id desc`
      )
    )
    return `sub_${found[0]!.id}`
  }
  const memberIdOf = (customerId: string) =>
    inStore(async (ctx) => {
      const found = await ctx.tx.one(
        row({ id: int }),
        sql`select id from members where store_id = ${ctx.storeId} and platform_customer_id = ${customerId}`
      )
      return found.id
    })
  const person = (email: string) => service.admin('POST', `${store.at}/sandbox/customers`, { email })
  const act = async (id: string, action: string, body: object = {}, method = 'POST') => {
    const done = await call(store, method, `/subscriptions/${await subscriptionOf(id)}/${action}`, body)
    assert.ok(done.status < 300, JSON.stringify(done.body))
    await settle()
  }
  const diff = async () => (await call(store, 'GET', '/metafields')).body
  const set = async (key: string, value: object) => {
    const done = await call(store, 'PATCH', `/storefront-settings/${key}`, { value })
    await settle()
    return done
  }
  /** The engine alone, with some calls replaced. */
  const engine = (calls: Partial<Connector['metafields']>) =>
    createMetafieldEngine({
      db,
      leaseOwner: 1,
      connectorOf: async () => withCalls(connector, { metafields: calls }),
      canMail: async () => false,
      patience: { slowMs: 10, comeBackMs: 20 }
    })
  return {
    store,
    connector,
    memberIdOf,
    person,
    subscriptionOf,
    inStore,
    settle,
    shop,
    of,
    found,
    setByHand,
    owner,
    join,
    act,
    diff,
    set,
    engine
  }
}

test('every key of the shop but the Elite plan is there from the connection on, with its default', async () => {
  const { shop, diff } = await aShop()
  const found = await shop()
  assert.deepEqual(
    [...found.keys()].toSorted(),
    keysOf('shop')
      .filter((key) => key !== 'svc_plan_settings2')
      .toSorted()
  )
  assert.equal(found.get('general'), '1')
  assert.equal(
    found.get('svc_loyalty_settings'),
    '{"loyalty_enabled":0,"tiers_enabled":0,"ratio_points":0,"reward_type":"points"}'
  )
  assert.equal(found.get('svc_wallet_pass_sale_campaigns'), '[]')
  assert.deepEqual(await diff(), { differences: [], compared: 1, next: null })
})

test('the main plans fill the plan settings, and a change of plan, perks or main plan follows', async () => {
  const { store, shop, settle } = await aShop()
  const plans = `${store.at}/plans`
  const vip = async () => JSON.parse((await shop()).get('svc_plan_settings')!)
  assert.deepEqual(
    (({ status, type, plan_name, product_name, product_price, i_name, i_count, ft, dp }) => [
      status,
      type,
      plan_name,
      product_name,
      product_price,
      i_name,
      i_count,
      ft,
      dp
    ])(await vip()),
    [1, 1, 'VIP', 'VIP', '29.00', 'month', 1, 0, 0]
  )
  const elite = await service.admin('POST', plans, {
    name: 'Elite',
    type: 'elite',
    price: '79.50',
    interval: 'year',
    trial_price: '1.00',
    trial_days: 14,
    perks: {
      discount: {
        type: 'percentage',
        value: '12.5',
        steps: [{ quantity: 3, type: 'fixed', value: '5' }],
        price_base: 'sale'
      },
      free_shipping: { countries: ['DE', 'AT'], threshold: { type: 'items', value: 3 } },
      store_credit: { amount: '10.00', type: 'function' }
    }
  })
  await settle()
  const second = JSON.parse((await shop()).get('svc_plan_settings2')!)
  assert.deepEqual(
    Object.fromEntries(
      [
        'type',
        'i_name',
        'i_count',
        'dv',
        'dt',
        'dat',
        'ds',
        'ds_info',
        'dct',
        'ft_price',
        'ft_type',
        'ft_duration',
        'fs_country',
        'fs_threshold_type',
        'fs_threshold_value',
        'store_credit_type',
        'scripts_st_on'
      ].map((key) => [key, second[key]])
    ),
    {
      type: 2,
      i_name: 'month',
      i_count: 12,
      dv: '12.5',
      dt: 'percentage',
      dat: 'all',
      ds: 1,
      ds_info: [{ quantity: 3, value: '5.00', type: 'fixed' }],
      dct: 2,
      ft_price: '1.00',
      ft_type: 2,
      ft_duration: 14,
      fs_country: 'DE,AT',
      fs_threshold_type: 'items',
      fs_threshold_value: '3',
      store_credit_type: 'function',
      scripts_st_on: 1
    }
  )
  await service.admin('PATCH', `${plans}/${elite.id}`, { status: 'disabled' })
  await settle()
  assert.equal((await shop()).has('svc_plan_settings2'), false, 'no Elite plan, no key')
})

test('a member has the membership, a hash, credit and details, and each change follows', async () => {
  const { join, of, act, store, settle } = await aShop()
  const id = await join('ada@example.com')
  const first = await of(id)
  assert.deepEqual([...first.keys()].toSorted(), ['customer_subscription1', ...BASE])
  const { scid, ...membership } = first.get('customer_subscription1')
  assert.deepEqual(membership, {
    name: 'VIP',
    status: 'ACTIVE',
    member_since: '2026-01-31',
    next_billing: '2026-02-28',
    price: '29.00',
    currency: 'USD',
    offers: []
  })
  assert.equal(typeof scid, 'number')
  assert.match(first.get('svc_hash'), /^[0-9a-f]{64}$/)
  assert.deepEqual(
    [first.get('svc_st'), first.get('svc_member_details')],
    ['0.00', { loyalty_points: 0, birth_date: '' }]
  )

  await service.post(
    `/store-credits/${id}/add`,
    store.key,
    { amount: 12.5, reason: 'Test' },
    { 'idempotency-key': 'a' }
  )
  await settle()
  assert.equal((await of(id)).get('svc_st'), '12.50')

  await act(id, 'pause')
  assert.deepEqual(
    (({ status, next_billing }) => [status, next_billing])((await of(id)).get('customer_subscription1')),
    ['PAUSED', '']
  )
  await act(id, 'resume')
  await act(id, 'pause', { duration: 43 })
  assert.equal((await of(id)).get('customer_subscription1').next_billing, '2026-03-31')
  await act(id, 'resume')
  await store.advance({ to: '2026-03-01T16:00:00Z' })
  assert.equal((await of(id)).get('customer_subscription1').next_billing, '2026-03-31', 'after the renewal')
  await act(id, 'cancel')
  assert.deepEqual(
    (({ status, next_billing }) => [status, next_billing])((await of(id)).get('customer_subscription1')),
    ['CANCELLED', '']
  )
})

test('a gift is in the metafields of both, is rewritten when one is renamed, and goes with the gift', async () => {
  const { join, of, act, store, settle } = await aShop()
  const [giver, receiver] = [await join('ada@example.com'), await join('bob@example.com')]
  const name = async (email: string, first_name: string, last_name: string) => {
    const members = (await service.get('/members', store.key)).body.data
    const { id: member } = members.find((one: any) => one.customer.email === email)
    assert.equal((await service.patch(`/members/${member}`, store.key, { first_name, last_name })).status, 200)
    await settle()
  }
  await name('ada@example.com', 'Ada', 'Lovelace')
  await act(giver, 'gift', { receiver })
  const gid = (id: string) => `gid://platform/Customer/${id}`
  const given = await of(giver)
  assert.deepEqual([...given.keys()].toSorted(), ['customer_subscription1_gifts', ...BASE])
  const [gift] = given.get('customer_subscription1_gifts')
  assert.deepEqual(gift.customer, { id: gid(receiver), email: 'bob@example.com', name: '' })
  assert.deepEqual(
    [gift.subscription.name, gift.subscription.status, gift.subscription.next_billing],
    ['VIP', 'ACTIVE', '2026-02-28']
  )
  const got = await of(receiver)
  assert.deepEqual([...got.keys()].toSorted(), [
    'customer_subscription1',
    'customer_subscription1_parent',
    'customer_subscription2',
    ...BASE
  ])
  assert.deepEqual(got.get('customer_subscription1_parent'), {
    subscription_id: `gid://platform/SubscriptionContract/${gift.subscription.scid}`,
    customer: { id: gid(giver), email: 'ada@example.com', name: 'Ada Lovelace' }
  })
  await name('ada@example.com', 'Ada', 'King')
  assert.equal((await of(receiver)).get('customer_subscription1_parent').customer.name, 'Ada King')
  await name('bob@example.com', 'Bob', 'Hope')
  assert.equal((await of(giver)).get('customer_subscription1_gifts')[0].customer.name, 'Bob Hope')

  await act(giver, 'gift', undefined, 'DELETE')
  assert.deepEqual([...(await of(giver)).keys()].toSorted(), ['customer_subscription1', ...BASE])
  assert.deepEqual([...(await of(receiver)).keys()].toSorted(), ['customer_subscription1', ...BASE])
})

test('of two memberships VIP is the first, and an ended one stays until a live one takes its place', async () => {
  const { store, join, of, act, subscriptionOf } = await aShop()
  await service.admin('POST', `${store.at}/plans`, { name: 'Elite', type: 'elite', price: '59.00', interval: 'month' })
  const id = await join('ada@example.com', 'Elite')
  const elite = await subscriptionOf(id)
  await join('ada@example.com')
  const names = async () => {
    const found = await of(id)
    return ['customer_subscription1', 'customer_subscription2'].map((key) => {
      const one = found.get(key)
      return one && `${one.name} ${one.status}`
    })
  }
  assert.deepEqual(await names(), ['VIP ACTIVE', 'Elite ACTIVE'])
  const planOfMember = async () => {
    const { body } = await service.get('/members', store.key)
    return body.data[0].plan_name
  }
  assert.equal(await planOfMember(), 'VIP', 'the newer one decides, as it does here')
  await act(id, 'cancel')
  assert.equal(await planOfMember(), 'Elite')
  assert.deepEqual(await names(), ['Elite ACTIVE', 'VIP CANCELLED'])
  const done = await call(store, 'POST', `/subscriptions/${elite}/cancel`, {})
  assert.equal(done.status, 200)
  await service.deps.settle(store.storeId)
  assert.deepEqual((await names()).toSorted(), ['Elite CANCELLED', 'VIP CANCELLED'])
  await join('ada@example.com')
  assert.deepEqual(await names(), ['VIP ACTIVE', 'Elite CANCELLED'], 'the older VIP membership is history')
})

test('what somebody has changed by hand is put right by the next change, by a sync, and by the walk over all', async () => {
  const { store, join, of, setByHand, settle, diff, found } = await aShop()
  const id = await join('ada@example.com')
  await setByHand(id, 'svc_st', 'number_decimal', '99.00')
  await setByHand(id, 'svc_member_details', 'json', '"nonsense"')
  assert.deepEqual(
    (await diff()).differences.map((one: any) => [one.owner, one.key, one.wanted, one.found, one.problem]),
    [
      ['customer', 'svc_st', '0.00', '99.00', null],
      ['customer', 'svc_member_details', '{"loyalty_points":0,"birth_date":""}', '"nonsense"', null]
    ]
  )
  // It was written in view of a value that is not there any more: that is refused, read, and written anew.
  await service.post(`/store-credits/${id}/add`, store.key, { amount: 5, reason: 'Test' }, { 'idempotency-key': 'a' })
  await settle()
  assert.deepEqual((await diff()).differences, [])
  assert.equal((await of(id)).get('svc_st'), '5.00')

  await setByHand(id, 'svc_st', 'number_decimal', '99.00')
  const one = await call(store, 'POST', '/metafields/sync', { customer: id })
  assert.deepEqual([one.body.scope, one.body.written, one.body.waiting, one.body.problems], ['customer', 1, 0, 0])
  assert.equal((await of(id)).get('svc_st'), '5.00')

  await setByHand(id, 'svc_st', 'number_decimal', '99.00')
  const stray = (await found(id)).has('customer_subscription2')
  assert.equal(stray, false)
  await setByHand(id, 'customer_subscription2', 'json', '{}')
  const all = await call(store, 'POST', '/metafields/sync', {})
  assert.equal(all.status, 202)
  // The platform has read its customers a second or more after it was asked to: the response waits for that.
  assert.deepEqual(all.body, {
    scope: 'store',
    compared: 1,
    written: 1,
    deleted: 1,
    waiting: 0,
    problems: 0,
    last_error: null
  })
  assert.deepEqual((await diff()).differences, [])
  assert.equal((await of(id)).has('customer_subscription2'), false)
})

test('customers with credit, points or a birth date have their keys, others none, and a lost answer writes nothing twice', async () => {
  const { store, settle, of, inStore, connector, engine, owner, person, memberIdOf } = await aShop()
  const plain = await person('plain@example.com')
  await settle()
  assert.deepEqual([...(await of(plain.id)).keys()], [])
  const calls: number[] = []
  const lost = engine({
    set: async (entries) => {
      calls.push(entries.length)
      await connector.metafields.set(entries)
      return { ok: false, failure: LOST }
    }
  })
  await service.post(
    `/store-credits/${plain.id}/add`,
    store.key,
    { amount: 5, reason: 'Test' },
    { 'idempotency-key': 'a' }
  )
  await inStore(async (ctx) => refreshCustomerMetafields(ctx, [await memberIdOf(plain.id)]))
  await runOut(lost, store.storeId)
  assert.deepEqual(calls, [3])
  assert.deepEqual([...(await of(plain.id)).keys()].toSorted(), BASE)
  const waiting = await owner(plain.id)
  assert.deepEqual([waiting.attempts, waiting.lastError, waiting.problem], [1, LOST.message, null])
  await store.advance({ by: 'PT10M' })
  const after = await owner(plain.id)
  assert.deepEqual([after.dueAt, after.attempts, after.problem], [null, 0, null])
})

test('an owner that the platform refuses keeps no other of its batch from its metafields, and says why', async () => {
  const { store, of, inStore, connector, engine, owner, memberIdOf, call: sent } = await withPeople(4)
  const refused: number[] = []
  const picky = engine({
    set: async (entries) => {
      const bad = entries.find(({ ownerId }) => ownerId === sent.ids[1])
      if (!bad) return connector.metafields.set(entries)
      refused.push(entries.length)
      return {
        ok: false,
        failure: { kind: 'rejected', message: 'Owner does not exist.', field: 'metafields.3.ownerId' }
      }
    }
  })
  await inStore(async (ctx) => refreshCustomerMetafields(ctx, await Promise.all(sent.ids.map(memberIdOf))))
  await runOut(picky, store.storeId)
  assert.deepEqual(refused, [12, 3], 'the batch, and then the one alone')
  for (const id of [sent.ids[0]!, sent.ids[2]!, sent.ids[3]!]) assert.equal((await of(id)).size, 3)
  assert.equal((await of(sent.ids[1]!)).size, 0)
  const { problem, dueAt } = await owner(sent.ids[1]!)
  assert.deepEqual([problem, dueAt], ['The platform refuses the metafields: Owner does not exist.', null])
  const { warnings } = await service.admin('POST', '/doctor', { store: store.domain })
  assert.match(JSON.stringify(warnings), /metafields_written.*Owner does not exist/)
})

test('a metafield that the platform refuses keeps no other of its owner from being set, and doctor names it', async () => {
  const { store, of, inStore, connector, engine, owner, memberIdOf, call: sent } = await withPeople(2)
  const picky = engine({
    set: async (entries) => {
      const at = entries.findIndex(({ key, ownerId }) => key === 'svc_hash' && ownerId === sent.ids[0])
      if (at < 0) return connector.metafields.set(entries)
      return { ok: false, failure: { kind: 'rejected', message: 'It is too short.', field: `metafields.${at}.value` } }
    }
  })
  await inStore(async (ctx) => refreshCustomerMetafields(ctx, await Promise.all(sent.ids.map(memberIdOf))))
  await runOut(picky, store.storeId)
  assert.deepEqual([...(await of(sent.ids[0]!)).keys()].sort(), ['svc_member_details', 'svc_st'])
  assert.equal((await of(sent.ids[1]!)).size, 3)
  const { problem, dueAt } = await owner(sent.ids[0]!)
  assert.deepEqual([problem, dueAt], ['The platform refuses the metafield svc_hash: It is too short.', null])
  const { warnings } = await service.admin('POST', '/doctor', { store: store.domain })
  assert.match(JSON.stringify(warnings), /metafields_written.*svc_hash: It is too short/)
})

test('a metafield that the platform refuses keeps none of its owner from being deleted', async () => {
  const { store, of, inStore, connector, engine, owner, memberIdOf, setByHand, call: sent } = await withPeople(1)
  const id = sent.ids[0]!
  const due = async () => {
    const memberId = await memberIdOf(id)
    await inStore((ctx) => refreshCustomerMetafields(ctx, [memberId]))
  }
  await due()
  await runOut(engine({}), store.storeId)
  await setByHand(id, 'customer_subscription1_parent', 'json', '{}')
  await inStore(({ tx, storeId }) =>
    tx.run(sql`update metafield_owners set is_read_first = true where store_id = ${storeId} and kind = 'customer'`)
  )
  await inStore(({ tx, storeId }) =>
    tx.run(sql`update members set birth_date = '1990-01-02' where store_id = ${storeId}`)
  )
  await due()
  const picky = engine({
    set: async (entries) => {
      const at = entries.findIndex(({ key }) => key === 'svc_member_details')
      if (at < 0) return connector.metafields.set(entries)
      return { ok: false, failure: { kind: 'rejected', message: 'No.', field: `metafields.${at}.value` } }
    }
  })
  await runOut(picky, store.storeId)
  assert.deepEqual([...(await of(id)).keys()].sort(), BASE)
  assert.equal((await owner(id)).problem, 'The platform refuses the metafield svc_member_details: No.')
})

test('a write with others that a node gives back when it stops is read first: it may have been carried out', async () => {
  const { store, inStore, connector, engine, memberIdOf, call: sent } = await withPeople(2)
  await inStore(async (ctx) => refreshCustomerMetafields(ctx, await Promise.all(sent.ids.map(memberIdOf))))
  const stopping = Promise.withResolvers<void>()
  const unread = engine({
    // Carried out, and its answer has another shape than the API promises.
    set: async (entries) => {
      await stopping.promise
      await connector.metafields.set(entries)
      return { ok: false, failure: { kind: 'unavailable', code: 'not_understood', message: 'It cannot be read' } }
    }
  })
  await unread.runOnce(store.storeId)
  const ended = unread.endUnderWay!(store.storeId)
  stopping.resolve()
  await ended
  const owners = await inStore((ctx) =>
    ctx.tx.many(
      row({ isReadFirst: bool, isDue: bool }),
      sql`select is_read_first, due_at <= ${ctx.now} as is_due from metafield_owners where store_id = ${ctx.storeId} and kind = 'customer'`
    )
  )
  assert.deepEqual(owners, [
    { isReadFirst: true, isDue: true },
    { isReadFirst: true, isDue: true }
  ])
})

test('a shop whose metafields of one kind may not be defined has the others, and an alert says so', async () => {
  const { store, settle, shop, set, inStore } = await aShop()
  await inStore((ctx) =>
    ctx.tx.run(sql`delete from sandbox.metafield_definitions where store_id = ${ctx.storeId} and namespace = 'svc'`)
  )
  await call(store, 'POST', '/sandbox/access', { without: ['write_discounts', 'read_discounts'] })
  await call(store, 'POST', '/metafields/sync', {})
  await settle()
  assert.equal((await set('svc_agreement', { agreement_enabled: 1 })).status, 200)
  assert.deepEqual(JSON.parse((await shop()).get('svc_agreement')!), { agreement_enabled: 1 })
  const { data } = await service.admin('GET', `${store.at}/alerts`)
  const [alert] = data.filter(({ kind }: any) => kind === 'metafields_not_defined')
  assert.match(alert.message, /svc_collection_ids: Access denied for metafieldDefinitionCreate field/)
})

test('a definition with another type than ours is reported', async () => {
  const { store, settle, inStore } = await aShop()
  await inStore((ctx) =>
    ctx.tx.run(
      sql`update sandbox.metafield_definitions set type = 'json' where store_id = ${ctx.storeId} and key = 'svc_st'`
    )
  )
  await call(store, 'POST', '/metafields/sync', {})
  await settle()
  const { data } = await service.admin('GET', `${store.at}/alerts`)
  assert.match(data[0].message, /svc_st: it is defined with the type json, and number_decimal is needed/)
})

test('what the shop had, nested too deep to be read, is reported and replaced', async () => {
  const { store, settle, shop, inStore } = await aShop()
  const deep = `${'['.repeat(3_000)}${']'.repeat(3_000)}`
  await inStore(async (ctx) => {
    await ctx.tx.run(
      sql`update sandbox.metafields set value = ${deep} where store_id = ${ctx.storeId} and owner_type = 'Shop' and key = 'svc_otp'`
    )
    await ctx.tx.run(sql`update metafield_stores set shop_id = null where store_id = ${ctx.storeId}`)
    await beginMetafields(ctx)
  })
  await settle()
  assert.equal((await shop()).get('svc_otp')!.includes('[['), false)
  const { data } = await service.admin('GET', `${store.at}/alerts`)
  assert.ok(data.some(({ subject }: any) => subject === 'The metafield svc_otp was replaced'))
})

test('a write whose answer is lost is read before the next one, also when what was there before is wanted again', async () => {
  const { store, join, of, inStore, connector, engine, memberIdOf } = await aShop()
  const id = await join('ada@example.com')
  const memberId = await memberIdOf(id)
  const bornOn = (date: string | null) =>
    inStore(async (ctx) => {
      await ctx.tx.run(
        sql`update members set birth_date = ${date}::date where store_id = ${ctx.storeId} and id = ${memberId}`
      )
      await refreshCustomerMetafields(ctx, [memberId])
    })
  const birthDate = async () => (await of(id)).get('svc_member_details').birth_date
  const deaf = engine({
    set: async (entries) => {
      await connector.metafields.set(entries)
      return { ok: false, failure: LOST }
    }
  })
  await bornOn('1990-01-02')
  await deaf.runOnce(store.storeId)
  await deaf.endUnderWay!(store.storeId)
  assert.equal(await birthDate(), '1990-01-02')
  await bornOn(null)
  await runOut(engine({}), store.storeId)
  assert.equal(await birthDate(), '')

  // The same where the process ends before it records what it has done.
  await bornOn('1990-01-02')
  const before = await inStore(({ tx, storeId }) =>
    tx.one(
      row({ known: text }),
      sql`select jsonb_agg(to_jsonb(k))::text as known from known_metafields k where store_id = ${storeId} and owner_id = ${memberId} and kind = 'customer' and key = 'svc_member_details'`
    )
  )
  await runOut(engine({}), store.storeId)
  await inStore(async ({ tx, storeId }) => {
    await tx.run(sql`
      update known_metafields k set value_hash = b.value_hash, digest = b.digest
        from jsonb_to_recordset(${before.known}::jsonb) as b(value_hash text, digest text)
       where k.store_id = ${storeId} and k.owner_id = ${memberId} and k.kind = 'customer' and k.key = 'svc_member_details'`)
    await tx.run(sql`
      update metafield_owners set lease_token = lease_token + 1, due_at = '2026-01-01'
       where store_id = ${storeId} and owner_id = ${memberId} and kind = 'customer'`)
    await tx.run(sql`update members set birth_date = null where store_id = ${storeId} and id = ${memberId}`)
  })
  await runOut(engine({}), store.storeId)
  assert.equal(await birthDate(), '')
})

/** Customers with credit, whose metafields nobody has written yet. */
async function withPeople(count: number) {
  const shop = await aShop()
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push((await shop.person(`p${i}@example.com`)).id)
  // These requests start no background work.
  for (const id of ids) {
    const done = await service.post(
      `/store-credits/${id}/add`,
      shop.store.key,
      { amount: 5, reason: 'Test' },
      { 'idempotency-key': id }
    )
    assert.equal(done.status, 200)
  }
  return { ...shop, call: { ids } }
}

test('a store that throttles is asked again soon, and that counts as no try', async () => {
  const { store, of, inStore, connector, engine, owner, memberIdOf, call: sent } = await withPeople(1)
  const id = sent.ids[0]!
  const busy = engine({
    set: async () => ({ ok: false, failure: { kind: 'throttled', message: 'No points', retryAfterMs: 3_000 } })
  })
  await inStore(async (ctx) => refreshCustomerMetafields(ctx, [await memberIdOf(id)]))
  await runOut(busy, store.storeId)
  const waiting = await owner(id)
  assert.deepEqual([waiting.attempts, waiting.problem, waiting.dueAt !== null], [0, null, true])
  await runOut(engine({ set: connector.metafields.set }), store.storeId)
  assert.equal((await of(id)).size, 0, 'not before its time')
  await store.advance({ by: 'PT5S' })
  assert.equal((await of(id)).size, 3)
})

test('what nothing changes causes no call of the platform', async () => {
  const { store, join, inStore, engine, memberIdOf } = await aShop()
  const id = await join('ada@example.com')
  const none = () => assert.fail('a call of the platform')
  await inStore(async (ctx) => {
    await refreshCustomerMetafields(ctx, [await memberIdOf(id)])
    await refreshShopMetafields(ctx)
  })
  await runOut(engine({ set: none, delete: none, findMany: none, findOfShop: none, define: none }), store.storeId)
})

test('settings that the shop had before are taken over where they can be read; the rest is reported and replaced', async () => {
  const { store, connector, settle, shop, inStore } = await aShop()
  const set = async (key: string, value: string) => {
    const { shopId, metafields } = theValue(await connector.metafields.findOfShop(keysOf('shop')))
    const seenDigest = metafields.get(key)?.digest ?? null
    theValue(await connector.metafields.set([{ owner: 'shop', ownerId: shopId, key, type: 'json', value, seenDigest }]))
  }
  await set('svc_agreement', '{"agreement_enabled":"1"}')
  await set('svc_protection', '{"svc_protection":"perhaps"}')
  // What no setting is behind is replaced, with its whole value in the alert.
  const tiers = JSON.stringify([{ note: 'x'.repeat(3000) }])
  await set('svc_loyalty_tiers', tiers)
  // The sandbox takes mail, so this can be on.
  await set('svc_otp', '{"otp_enabled":1}')
  await inStore(async (ctx) => {
    // As a shop that was never connected.
    await ctx.tx.run(sql`update metafield_stores set shop_id = null where store_id = ${ctx.storeId}`)
    await beginMetafields(ctx)
  })
  await settle()
  const found = await shop()
  assert.deepEqual(
    ['svc_agreement', 'svc_protection', 'svc_otp'].map((key) => found.get(key)),
    ['{"agreement_enabled":1}', '{"svc_protection":1}', '{"otp_enabled":1}']
  )
  const alerts = (await call(store, 'GET', '/alerts')).body.data.map((one: any) => one.message)
  const ofTiers = alerts.filter((one: string) => one.includes('svc_loyalty_tiers')).toSorted()
  assert.equal(ofTiers.map((one: string) => one.replace(/^.*of what it was: /, '')).join(''), tiers)
  assert.equal(alerts.length, 1 + ofTiers.length)
  assert.match(
    alerts.join(),
    /svc_protection of the shop could not be taken over, since svc_protection must be 0 or 1 \(or false or true\).*it was {"svc_protection":"perhaps"}/
  )
})

test('settings of the storefront are checked field by field, and the metafield of the shop follows', async () => {
  const { store, set, shop } = await aShop()
  const changed = await set('svc_widget_cart_page', {
    m_title: 'Save {savings}',
    hide_sp: 'on',
    cart_default_PAYG: true
  })
  assert.equal(changed.status, 200)
  const { m_title, hide_sp, cart_default_PAYG, r_title } = changed.body.value
  assert.deepEqual([m_title, hide_sp, cart_default_PAYG, r_title], ['Save {savings}', 'on', 1, ''])
  assert.deepEqual(JSON.parse((await shop()).get('svc_widget_cart_page')!), changed.body.value)
  const again = await set('svc_widget_cart_page', { m_title: null, hide_sp: null })
  assert.deepEqual(
    [again.body.value.m_title, 'hide_sp' in again.body.value, again.body.value.cart_default_PAYG],
    ['', false, 1]
  )

  const refused = async (key: string, value: unknown) => {
    const { status, body } = await set(key, value as object)
    return [status, ...(body.error.details ?? []).map(({ field, message }: any) => `${field} ${message}`)]
  }
  assert.deepEqual(
    await refused('svc_widget_cart_page', { m_title: 'x'.repeat(256), m_body: 'Only {prize}', color: 1, hide_sp: 7 }),
    [
      400,
      'value.color is not a field here, which are cart_default_PAYG, cart_disclaimer, enable_progress_bar, hide_sp, hide_st, m_body, m_checkout_btn_name, m_subtitle, m_title, progress_bar_item, progress_bar_title, r_body, r_subtitle, r_title, subtitle',
      'value.hide_sp must be "on", or left out',
      'value.m_body has {prize}, which is no placeholder; they are {plan_name}, {price}, {savings}, {credit}',
      'value.m_title must be a text of at most 255 characters'
    ]
  )
  assert.deepEqual(await refused('svc_cart_page_selector', { cart_form_selector: '</style><script>' }), [
    400,
    'value.cart_form_selector must be a CSS selector of at most 500 characters, without < { } or ;'
  ])
  assert.deepEqual(await refused('softlogin', { settings: { cart_widget_login_link: 'maybe' } }), [
    400,
    'value.settings.cart_widget_login_link must be true or false'
  ])
  const [status, unknown] = await refused('svc_plan_settings', {})
  assert.equal(status, 404)
  assert.match(String(unknown), /^key must be one of svc_agreement, .*, svc_widget_cart_page_member$/)
  const all = (await call(store, 'GET', '/storefront-settings')).body.data
  assert.equal(all.length, 10)
})

test('what the platform cannot read of one customer keeps no other of a portion from being read', async () => {
  const {
    store,
    of,
    inStore,
    connector,
    engine,
    owner,
    setByHand,
    settle,
    memberIdOf,
    call: sent
  } = await withPeople(3)
  await inStore(async (ctx) => refreshCustomerMetafields(ctx, await Promise.all(sent.ids.map(memberIdOf))))
  await settle()
  for (const id of sent.ids) await setByHand(id, 'svc_st', 'number_decimal', '999.0')
  await inStore((ctx) =>
    ctx.tx.run(sql`update metafield_owners set is_read_first = true, due_at = ${ctx.now}, version = version + 1
                    where store_id = ${ctx.storeId} and kind = 'customer'`)
  )
  const asked: number[] = []
  const failing = engine({
    findMany: async (kind, ids, keys) => {
      asked.push(ids.length)
      if (!ids.includes(sent.ids[1]!)) return connector.metafields.findMany(kind, ids, keys)
      return { ok: false, failure: { kind: 'unavailable', message: 'No such shape', code: 'not_understood' } }
    }
  })
  await runOut(failing, store.storeId)
  assert.deepEqual(asked, [3, 1, 1, 1])
  assert.equal((await of(sent.ids[0]!)).get('svc_st'), '5.00')
  assert.equal((await of(sent.ids[2]!)).get('svc_st'), '5.00')
  assert.equal((await of(sent.ids[1]!)).get('svc_st'), '999.0')
  assert.deepEqual([(await owner(sent.ids[1]!)).lastError, (await owner(sent.ids[1]!)).attempts], ['No such shape', 1])
})

test('JSON that somebody has nested too deep is replaced like any other', async () => {
  const { join, of, setByHand, settle, store, inStore } = await aShop()
  const id = await join('ada@example.com')
  const before = (await of(id)).get('svc_member_details')
  const { written } = (await inStore((ctx) => findMetafieldTotals(ctx)))!
  await setByHand(id, 'svc_member_details', 'json', `${'['.repeat(30_000)}${']'.repeat(30_000)}`)
  const done = await call(store, 'POST', '/metafields/sync', {})
  assert.ok(done.status < 300, JSON.stringify(done.body))
  await until('the walk', async () => {
    await settle()
    return (await inStore((ctx) => findMetafieldTotals(ctx)))!.written > written
  })
  assert.deepEqual((await of(id)).get('svc_member_details'), before)
})

test('what waits after a refusal is tried at once by a sync', async () => {
  const { store, join, of, owner, inStore, diff } = await aShop()
  const id = await join('ada@example.com')
  await call(store, 'POST', '/sandbox/access', { without: ['write_customers'] })
  await inStore(({ tx, storeId }) =>
    tx.run(sql`update members set birth_date = '1990-01-02' where store_id = ${storeId}`)
  )
  await call(store, 'POST', '/metafields/sync', { customer: id })
  const { attempts, lastError, dueAt } = await owner(id)
  assert.equal(attempts > 0, true)
  const [waiting] = (await diff()).differences
  assert.deepEqual(
    [waiting.key, waiting.problem, waiting.last_error, Date.parse(waiting.next_try_at)],
    ['svc_member_details', null, lastError, Date.parse(dueAt!)]
  )
  const of1 = ['--store', store.domain]
  const shown = await run(['metafields', 'diff', ...of1])
  assert.match(shown.out, /WAITING SINCE +NEXT TRY AT +PROBLEM\n.* svc_member_details .*Access denied/)
  assert.match(shown.out, /\n\n2 compared: the shop, its discounts and customers\n$/)
  const left = await run(['metafields', 'sync', ...of1])
  assert.match(left.out, /^Compared: 1 customer\. .*Left: 1 waiting.*\nTo see what is left: perennial metafields diff/)
  await call(store, 'POST', '/sandbox/access', { without: [] })
  const { body } = await call(store, 'POST', '/metafields/sync', {})
  assert.deepEqual([body.waiting, (await of(id)).get('svc_member_details').birth_date], [0, '1990-01-02'])
  assert.deepEqual((await diff()).differences, [])
  const done = await run(['metafields', 'sync', ...of1])
  assert.match(done.out, /^Compared: 1 customer\. .*with a problem\.\n$/)
})

test('where a scope is missing for customers, those of the shop are written all the same', async () => {
  const { store, join, of, shop, memberIdOf, inStore, settle } = await aShop()
  const id = await join('ada@example.com')
  const memberId = await memberIdOf(id)
  await call(store, 'POST', '/sandbox/access', { without: ['write_customers'] })
  // Both are due at once.
  await inStore(async (ctx) => {
    await ctx.tx.run(sql`update members set birth_date = '1990-01-02' where store_id = ${ctx.storeId}`)
    await refreshCustomerMetafields(ctx, [memberId])
    await updateStorefrontSetting(ctx, 'svc_agreement', { agreement_enabled: 1 }, { canMail: false })
    await refreshShopMetafields(ctx)
  })
  await settle()
  assert.deepEqual(JSON.parse((await shop()).get('svc_agreement')!), { agreement_enabled: 1 })
  assert.equal((await of(id)).get('svc_member_details').birth_date, '')
})

test('definitions that somebody has deleted are made again by a comparison', async () => {
  const { store, settle, inStore } = await aShop()
  await settle()
  const keys = () =>
    inStore((ctx) =>
      ctx.tx.many(
        row({ key: text }),
        sql`select key from sandbox.metafield_definitions where store_id = ${ctx.storeId} and namespace = 'svc' order by key`
      )
    )
  const before = await keys()
  assert.equal(before.length, METAFIELDS.length)
  await service.db.inInstallation((tx) =>
    tx.run(sql`delete from sandbox.metafield_definitions where store_id = ${store.storeId} and key like 'svc_%'`)
  )
  const synced = await call(store, 'POST', '/metafields/sync', {})
  assert.ok(synced.status < 300, JSON.stringify(synced.body))
  await until('they are there again', async () => {
    await settle()
    return (await keys()).length === before.length
  })
  assert.deepEqual(await keys(), before)
})

test('a file of the platform that fails three times is done without, and doctor says so until one is read', async () => {
  const { store, inStore, connector, join, of, setByHand, settle } = await aShop()
  const id = await join('ada@example.com')
  const totals = () =>
    inStore((ctx) =>
      ctx.tx.one(
        row({ phase: text, failures: int, error: nullable(text), finishedAt: nullable(text), isLater: bool }),
        sql`select phase, file_failures as failures, file_error as error, finished_at::text as finished_at,
                   next_at > statement_timestamp() + interval '30 seconds' as is_later
              from metafield_stores where store_id = ${ctx.storeId}`
      )
    )
  const walk = (find: Connector['bulk']['find']) =>
    createMetafieldWalkEngine({
      db,
      leaseOwner: 1,
      connectorOf: async () => withCalls(connector, { bulk: { find } })
    })
  const walkNow = () =>
    inStore((ctx) =>
      ctx.tx.run(sql`update metafield_stores set next_at = statement_timestamp() where store_id = ${ctx.storeId}`)
    )
  await until('the first walk', async () => {
    await settle()
    return (await totals()).finishedAt !== null
  })
  const before = await totals()
  const failed = walk(async (bulkId) => {
    const found = await connector.bulk.find(bulkId)
    if (!found.ok) return found
    return { ok: true, value: { ...found.value!, status: 'failed', errorCode: 'access_denied', file: null } }
  })
  for (let round = 1; round <= 3; round++) {
    assert.equal((await totals()).phase, 'start')
    // Begun, and asked for.
    for (let step = 0; step < 2; step++) {
      await walkNow()
      await failed.runOnce(store.storeId)
    }
    const { failures, error, phase, isLater } = await totals()
    assert.deepEqual([failures, phase, isLater], [round, round < 3 ? 'start' : 'members', round < 3])
    assert.equal(error, "The platform's reading of its customers ended: failed, access_denied")
  }
  await walkNow()
  await failed.runOnce(store.storeId)
  const after = await totals()
  assert.equal(after.phase, 'start')
  assert.notEqual(after.finishedAt, before.finishedAt, 'members were derived without it')
  const warned = async () => JSON.stringify((await service.admin('POST', '/doctor', { store: store.domain })).warnings)
  assert.match(await warned(), /changes by others are not found: The platform's reading .* access_denied/)

  await setByHand(id, 'svc_st', 'number_decimal', '77.0')
  const done = await call(store, 'POST', '/metafields/sync', {})
  assert.ok(done.status < 300, JSON.stringify(done.body))
  await until('a walk with a file', async () => {
    await settle()
    return (await totals()).failures === 0 && (await totals()).phase === 'start'
  })
  assert.equal((await totals()).error, null)
  assert.equal((await of(id)).get('svc_st'), '0.00')
  assert.doesNotMatch(await warned(), /changes by others/)
})

test('a store that a node of before has connected begins with the next thing that happens there', async () => {
  const { store, inStore, join, of } = await aShop()
  await inStore(async (ctx) => {
    for (const table of ['known_metafields', 'metafield_owners', 'metafield_stores'])
      await ctx.tx.run({
        name: `drop_${table}`,
        text: `delete from ${table} where store_id = $1`,
        values: [ctx.storeId]
      })
  })
  const id = await join('ada@example.com')
  await service.deps.settle(store.storeId)
  assert.deepEqual([...(await of(id)).keys()].toSorted(), ['customer_subscription1', ...BASE])
})
