// Memberships that are given away, and subscriptions that an operator makes, with the sandbox platform at the other end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { listPlans } from '#plans'
import type { Connector } from '#platform'
import { createSubscription, type SubscriptionWish } from '#subscriptions'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { OPERATOR_TOKEN, startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

type Store = Awaited<ReturnType<typeof service.aStore>>
const settle = (store: Store) => service.deps.settle(store.storeId)
const soundBooks = async () => assert.deepEqual((await service.admin('POST', '/doctor', {})).findings, [])

async function operator(store: Store, method: string, path: string, body?: object, key?: string) {
  const response = await fetch(`${service.urls.public}/admin/api${store.at}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${OPERATOR_TOKEN}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key ? { 'idempotency-key': key } : {})
    },
    body: body && JSON.stringify(body)
  })
  return { status: response.status, body: (await response.json()) as any, headers: response.headers }
}

const planOf = async (store: Store, name = 'VIP') =>
  (await service.admin('GET', `${store.at}/plans`)).data.find((plan: any) => plan.name === name).id as string

/** Each member: whose, how they stand and in which tier. */
const members = async (store: Store) => {
  const { body } = await service.get('/members', store.key)
  return Object.fromEntries(
    body.data.map((m: any) => [m.customer.email, [m.status, m.tier, m.next_billing_date?.slice(0, 10) ?? null]])
  )
}

const told = (store: Store) =>
  service.db.inStore(store.storeId, async ({ tx }) =>
    (
      await tx.many(
        row({ type: text, data: text }),
        sql`select type, data from events where store_id = ${store.storeId} order by id`
      )
    ).map(({ type, data }) => ({ type, data: JSON.parse(data) }))
  )

const activity = async (store: Store, id: string) =>
  (await service.get(`/subscriptions/${id}/activity`, store.key)).body.data.reverse() as any[]

/** Ada's membership, and Bo, who is no member yet. */
async function aGift(given: Record<string, unknown> = {}) {
  const store = await service.aStore(given)
  const { customer: ada, contract_id } = await store.member('ada@example.com')
  const bo = await store.customer('bo@example.com')
  await settle(store)
  const { body } = await service.get(`/subscriptions?customer_id=${ada.id}`, store.key)
  const id = body.data[0].id as string
  const gift = (receiver: string) => operator(store, 'POST', `/subscriptions/${id}/gift`, { receiver })
  return { store, id, ada, bo, contractId: contract_id, gift }
}

test('a membership given away makes the receiver a member, and is paid by the giver as before', async () => {
  const { store, id, ada, bo, gift } = await aGift()
  const seen = (await told(store)).length
  const given = await gift('bo@example.com')
  assert.equal(given.status, 200)
  assert.equal(given.body.gift.receiver_email, 'bo@example.com')
  assert.deepEqual(await members(store), {
    'ada@example.com': ['cancelled', null, null],
    'bo@example.com': ['active', 'VIP', '2026-02-28']
  })
  const news = (await told(store)).slice(seen)
  assert.deepEqual(
    news.map(({ type }) => type),
    ['member.created', 'subscription.updated', 'member.tier_changed']
  )
  assert.deepEqual(news[1]!.data.changes, { receiver: { from: null, to: given.body.gift.receiver_id } })
  assert.deepEqual(news[2]!.data.tier, { previous: 'VIP', new: null })

  const { data } = (await service.get(`/subscriptions/${id}`, store.key)).body
  assert.equal(data.customer.email, 'ada@example.com')
  assert.equal(data.gift.giver.shopify_id, `gid://platform/Customer/${ada.id}`)
  assert.equal(data.gift.receiver.shopify_id, `gid://platform/Customer/${bo.id}`)
  const listed = (await service.get(`/subscriptions?customer_id=${ada.id}`, store.key)).body.data
  assert.deepEqual(listed[0].gift, data.gift)

  await store.advance({ to: '2026-04-01T00:00:00Z' })
  const charged = await service.get(`/billing-attempts?subscription_id=${id}`, store.key)
  assert.deepEqual(
    charged.body.data.map((a: any) => a.status),
    ['success', 'success']
  )
  assert.equal((await members(store))['bo@example.com'][2], '2026-04-30')
  const line = (await activity(store, id)).find(({ kind }) => kind === 'gifted')
  assert.deepEqual(
    [line.actor, line.text],
    ['operator', `Given to ${given.body.gift.receiver_id}, who holds it from now on`]
  )
  await soundBooks()
})

test("the receiver's standing follows pause, end and taking back; the giver's does not", async () => {
  const { store, id, gift } = await aGift()
  await gift('bo@example.com')
  const move = async (name: string) =>
    assert.equal((await operator(store, 'POST', `/subscriptions/${id}/${name}`, {})).status, 200)
  await move('pause')
  assert.deepEqual((await members(store))['bo@example.com'], ['paused', 'VIP', null])
  await move('resume')
  const back = await operator(store, 'DELETE', `/subscriptions/${id}/gift`)
  assert.deepEqual([back.status, back.body.gift], [200, null])
  assert.deepEqual(await members(store), {
    'ada@example.com': ['active', 'VIP', '2026-02-28'],
    'bo@example.com': ['cancelled', null, null]
  })
  assert.equal((await operator(store, 'DELETE', `/subscriptions/${id}/gift`)).status, 409)
  await gift('bo@example.com')
  await move('cancel')
  assert.deepEqual((await members(store))['bo@example.com'], ['cancelled', null, null])
  const late = await gift('bo@example.com')
  assert.deepEqual([late.status, late.body.error.code], [409, 'conflict'])
  await settle(store)
  await soundBooks()
})

test('a gift goes on to a third; who holds other memberships stays a member', async () => {
  const { store, id, gift } = await aGift()
  await store.member('cy@example.com')
  await gift('bo@example.com')
  const again = await gift('bo@example.com')
  assert.equal(again.status, 200)
  await gift('cy@example.com')
  assert.deepEqual(await members(store), {
    'ada@example.com': ['cancelled', null, null],
    'bo@example.com': ['cancelled', null, null],
    'cy@example.com': ['active', 'VIP', '2026-02-28']
  })
  await operator(store, 'POST', `/subscriptions/${id}/cancel`, {})
  assert.deepEqual((await members(store))['cy@example.com'], ['active', 'VIP', '2026-02-28'])
  assert.equal((await activity(store, id)).filter(({ kind }) => kind === 'gifted').length, 2)
  await settle(store)
  await soundBooks()
})

test('nobody gives to themselves, to nobody, or to where the plan is not for', async () => {
  const { store, ada, gift } = await aGift()
  const refused = async (receiver: string) => {
    const { status, body } = await gift(receiver)
    return [status, body.error?.message]
  }
  assert.deepEqual(await refused(ada.id), [400, 'receiver takes another customer than the one who pays'])
  assert.match(String(await refused('nobody@example.com')), /^400,receiver takes a customer of the store/)
  assert.match(String(await refused('99999')), /^400,receiver takes a customer of the store/)
  assert.match(String(await refused('somebody')), /^400,receiver takes a customer id such as/)
  assert.equal(
    (await operator(store, 'POST', '/subscriptions/sub_999/gift', { receiver: 'bo@example.com' })).status,
    404
  )

  await service.admin('PATCH', `${store.at}/plans/${await planOf(store)}`, { allowed_countries: ['US'] })
  await service.admin('POST', `${store.at}/sandbox/customers`, { email: 'fr@example.com', country: 'FR' })
  assert.match(String(await refused('fr@example.com')), /^400,receiver takes a customer in US/)
  assert.deepEqual(Object.keys(await members(store)), ['ada@example.com'])
})

test('of two gifts at once the later wins, and both who had it are told', async () => {
  const { store, id, gift } = await aGift()
  await store.customer('cy@example.com')
  await settle(store)
  const answers = await Promise.all([gift('bo@example.com'), gift('cy@example.com')])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200]
  )
  const { data } = (await service.get(`/subscriptions/${id}`, store.key)).body
  const holders = Object.entries(await members(store)).flatMap(([email, [status]]: any) =>
    status === 'active' ? email : []
  )
  assert.deepEqual(holders, [data.gift.receiver.email])
  await soundBooks()
})

test('merged and deleted customers: a gift between two who become one is none, one to who is gone comes back', async () => {
  const merged = await aGift()
  await merged.gift('bo@example.com')
  await service.admin('POST', `${merged.store.at}/sandbox/merges`, { customer: merged.bo.id, into: merged.ada.id })
  await settle(merged.store)
  const one = (await service.get(`/subscriptions/${merged.id}`, merged.store.key)).body.data
  assert.equal(one.gift, null)
  assert.deepEqual((await members(merged.store))['ada@example.com'], ['active', 'VIP', '2026-02-28'])

  const deleted = await aGift()
  const cy = await deleted.store.customer('cy@example.com')
  await deleted.gift('bo@example.com')
  await service.admin('POST', `${deleted.store.at}/sandbox/merges`, { customer: deleted.bo.id, into: cy.id })
  await settle(deleted.store)
  assert.deepEqual((await members(deleted.store))['cy@example.com'], ['active', 'VIP', '2026-02-28'])
  await service.admin('POST', `${deleted.store.at}/sandbox/deletions`, { customer: cy.id })
  await settle(deleted.store)
  assert.deepEqual((await members(deleted.store))['ada@example.com'], ['active', 'VIP', '2026-02-28'])
  const [last] = (await activity(deleted.store, deleted.id)).filter(({ kind }) => kind === 'gifted').slice(-1)
  assert.deepEqual([last.actor, /taken back/.test(last.text)], ['platform', true])
  await soundBooks()
})

test('over the direct API and by commands: given, taken back, made', async () => {
  const { store, id, gift } = await aGift()
  const given = await service.post(`/subscriptions/${id}/gift`, store.key, { receiver: 'bo@example.com' })
  assert.deepEqual([given.status, given.body.data.gift.receiver.email], [200, 'bo@example.com'])
  const back = await service.post(`/subscriptions/${id}/ungift`, store.key, {})
  assert.deepEqual([back.status, back.body.data.gift], [200, null])
  const key = await service.admin('POST', `${store.at}/keys`, { name: 'Reader', scopes: ['read:subscriptions'] })
  assert.equal((await service.post(`/subscriptions/${id}/gift`, key.key, { receiver: 'bo@example.com' })).status, 403)
  const other = await service.aStore()
  assert.equal((await service.post(`/subscriptions/${id}/gift`, other.key, { receiver: 'bo@example.com' })).status, 404)
  assert.equal((await service.post(`/subscriptions/${id}/ungift`, other.key, {})).status, 404)

  const { json } = commandLine(service)
  const of = [id, '--store', store.domain]
  assert.equal(
    (await json('subscription', 'gift', ...of, '--receiver', 'bo@example.com')).gift.receiver_email,
    'bo@example.com'
  )
  assert.equal((await json('subscription', 'ungift', ...of)).gift, null)
  const wish = ['--customer', 'bo@example.com', '--plan', await planOf(store), '--date', '2026-02-10', '--key', 'bo-1']
  const made = await json('subscription', 'create', '--store', store.domain, ...wish)
  const again = await json('subscription', 'create', '--store', store.domain, ...wish)
  assert.deepEqual([made.next_billing_date, again.id], ['2026-02-10T05:00:00.000Z', made.id])
  assert.equal((await gift('bo@example.com')).status, 200)
  await settle(store)
  await soundBooks()
})

test('a contract that names its receiver is a gift from its first look; one that names nobody we know is none', async () => {
  const { store, ada, bo } = await aGift()
  const connector = await service.demoDeps.connectorOf(store.storeId)
  const contractFor = async (giftReceiverId: string, key: string) => {
    const plans = await service.db.inStore(store.storeId, listPlans)
    const cards = await connector.cards([ada.id])
    assert.ok(cards.ok)
    const [made] = await connector.createContracts([
      {
        key,
        customerId: ada.id,
        status: 'active',
        currency: 'USD',
        interval: 'month',
        intervalCount: 1,
        maxCycles: null,
        nextBillingAt: Temporal.Instant.from('2026-02-20T05:00:00Z'),
        paymentMethodId: cards.value.get(ada.id)![0]!,
        variantId: plans[0]!.platformVariantId!,
        priceMinor: 2900,
        sellingPlan: { id: plans[0]!.platformSellingPlanId, name: 'VIP' },
        giftReceiverId
      }
    ])
    assert.ok(made!.ok)
    await settle(store)
    const { body } = await service.get(`/subscriptions?customer_id=${ada.id}`, store.key)
    return body.data.find((s: any) => s.shopify_subscription_id.endsWith(`/${(made as any).value}`))
  }
  const known = await contractFor(bo.id, 'of-a-shop-1')
  assert.equal(known.gift.receiver.email, 'bo@example.com')
  assert.deepEqual((await members(store))['bo@example.com'], ['active', 'VIP', '2026-02-20'])
  const unknown = await contractFor('987654', 'of-a-shop-2')
  assert.equal(unknown.gift, null)
  assert.deepEqual(
    (await activity(store, unknown.id)).map(({ kind, actor }) => [kind, actor]),
    [
      ['created', 'platform'],
      ['reconciled', 'platform']
    ]
  )
  await soundBooks()
})

/** A store with customers who have a card and no membership. */
async function aShop(given: Record<string, unknown> = {}) {
  const store = await service.aStore(given)
  const ada = await store.customer('ada@example.com')
  await store.customer('bo@example.com')
  await settle(store)
  const plan = await planOf(store)
  const wish = { customer: 'ada@example.com', plan_id: plan, next_billing_date: '2026-02-10' }
  const create = (over: object = {}, key?: string) =>
    operator(store, 'POST', '/subscriptions', { ...wish, ...over }, key)
  const contracts = async () => (await service.sandbox.controls.counts(store.storeId)).contracts
  return { store, ada, plan, create, contracts }
}

test('an operator makes a subscription: nothing is charged before its date, and then as any other', async () => {
  const { store, ada, create, contracts } = await aShop()
  const made = await create({ customer: ada.id, price: '19.00', max_cycles: 2 })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id, status, price, max_cycles, next_billing_date, plan_name } = made.body
  assert.deepEqual(
    { status, price, max_cycles, next_billing_date, plan_name },
    { status: 'active', price: 19, max_cycles: 2, next_billing_date: '2026-02-10T05:00:00.000Z', plan_name: 'VIP' }
  )
  await settle(store)
  assert.equal(await contracts(), 1)
  assert.deepEqual(await service.sandbox.controls.charges(store.storeId), [])
  const news = (await told(store)).map(({ type }) => type)
  assert.deepEqual(news, ['member.created', 'subscription.created'])
  const [line] = await activity(store, id)
  assert.deepEqual([line.kind, line.actor], ['created', 'operator'])

  await store.advance({ to: '2026-04-15T00:00:00Z' })
  const charged = (await service.get(`/billing-attempts?subscription_id=${id}`, store.key)).body.data
  assert.deepEqual(
    charged.map((a: any) => [a.date.slice(0, 10), a.status, a.amount]),
    [
      ['2026-03-10', 'success', 19],
      ['2026-02-10', 'success', 19]
    ]
  )
  assert.equal((await operator(store, 'GET', `/subscriptions/${id}`)).body.status, 'expired')
  await soundBooks()
})

test('made as a gift, and paused: the receiver is the member from the start, the giver is none', async () => {
  const { store, create } = await aShop()
  const made = await create({ receiver: 'bo@example.com', status: 'paused' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.deepEqual([made.body.status, made.body.gift.receiver_email], ['paused', 'bo@example.com'])
  assert.deepEqual(await members(store), { 'bo@example.com': ['paused', 'VIP', null] })
  assert.deepEqual(
    (await told(store)).map(({ type }) => type),
    ['member.created', 'subscription.created', 'subscription.updated']
  )
  assert.deepEqual(
    (await activity(store, made.body.id)).map(({ kind, actor }) => [kind, actor]),
    [
      ['created', 'operator'],
      ['gifted', 'operator']
    ]
  )
  await settle(store)
  await soundBooks()
})

test('under an Idempotency-Key a repetition gets the first one, and another request is refused', async () => {
  const { create, contracts } = await aShop()
  const first = await create({}, 'order-1')
  const again = await create({}, 'order-1')
  assert.deepEqual([first.status, again.status, again.body.id], [201, 200, first.body.id])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const other = await create({ price: 5 }, 'order-1')
  assert.deepEqual([other.status, /another request/.test(other.body.error.message)], [400, true])
  assert.equal((await create()).status, 201)
  assert.equal(await contracts(), 2)
})

/** The operator's wish as the route hands it on, to a platform whose answers can be lost on the way. */
async function aLossyShop() {
  const { store, plan, contracts } = await aShop()
  const connector = await service.demoDeps.connectorOf(store.storeId)
  const said = (email: string) => ({ memberId: null, platformId: null, email })
  const wish: SubscriptionWish = {
    customer: said('ada@example.com'),
    planId: Number(plan.slice('plan_'.length)),
    variantId: null,
    quantity: null,
    nextBillingAt: Temporal.Instant.from('2026-02-10T05:00:00Z'),
    paymentMethodId: null,
    priceMinor: null,
    maxCycles: null,
    status: 'active',
    receiver: said('bo@example.com')
  }
  const lost = {
    ok: false as const,
    failure: { kind: 'unavailable' as const, message: 'reset', outcomeUnknown: true as const }
  }
  const create = (over: Partial<Connector> = {}) =>
    createSubscription(service.db, store.storeId, { ...connector, ...over }, wish, {
      key: null,
      fingerprint: Buffer.from('one'),
      by: 'operator'
    })
  return {
    store,
    contracts,
    create,
    answerLost: () => create({ createContracts: async (r) => (await connector.createContracts(r)).map(() => lost) }),
    callLost: () => create({ createContracts: async (r) => r.map(() => lost) }),
    aMinuteLater: () =>
      service.db.inInstallation((q) =>
        q.run(sql`
        update subscription_creations set asked_at = asked_at - interval '2 minutes' where store_id = ${store.storeId}`)
      )
  }
}
const MAY_BE_COMING = { code: 'unavailable', message: /^The subscription may still be coming/ }

test('after a lost answer the repetition finds what was made, whether or not the platform has told of it', async () => {
  for (const isTold of [true, false]) {
    const { store, create, answerLost, contracts } = await aLossyShop()
    await assert.rejects(answerLost(), MAY_BE_COMING)
    if (isTold) await settle(store)
    const made = await create()
    assert.equal(made.isRepeated, isTold)
    assert.equal(await contracts(), 1)
    assert.deepEqual(await members(store), { 'bo@example.com': ['active', 'VIP', '2026-02-10'] })
    assert.deepEqual(
      (await activity(store, `sub_${made.id}`)).map(({ kind, actor }) => [kind, actor]),
      [
        ['created', 'operator'],
        ['gifted', 'operator']
      ]
    )
    // What was answered is done: the same wish is another subscription now.
    assert.notEqual((await create()).id, made.id)
    assert.equal(await contracts(), 2)
    await settle(store)
    await soundBooks()
  }
})

test('a call that was lost is made again, when its answer can no more be coming', async () => {
  const { create, callLost, aMinuteLater, contracts } = await aLossyShop()
  await assert.rejects(callLost(), MAY_BE_COMING)
  await assert.rejects(create(), MAY_BE_COMING)
  await aMinuteLater()
  const answers = await Promise.allSettled([create(), create()])
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length >= 1, true)
  assert.equal(await contracts(), 1)
})

test('what cannot be made is refused, and leaves nothing behind', async () => {
  const { store, ada, plan, create, contracts } = await aShop()
  const refused = async (over: object) => {
    const { status, body } = await create(over)
    return `${status} ${body.error?.message}`
  }
  assert.match(await refused({ plan_id: 'plan_999' }), /^400 plan_id takes the id of a plan of this store/)
  assert.match(await refused({ customer: 'nobody@example.com' }), /^400 customer takes a customer of the store/)
  assert.match(await refused({ next_billing_date: '2026-01-30' }), /^400 next_billing_date takes a date after now/)
  assert.match(await refused({ next_billing_date: '2036-01-30' }), /^400 next_billing_date takes a date after now/)
  assert.match(await refused({ receiver: ada.id }), /^400 receiver takes another customer/)
  assert.match(
    await refused({ payment_method_id: 'nothing' }),
    /^400 payment_method_id takes one of the payment methods/
  )
  await service.admin('POST', `${store.at}/sandbox/revocations`, { customer: ada.id })
  assert.match(await refused({}), /^400 The customer has no payment method that can be charged/)
  await service.admin('PATCH', `${store.at}/plans/${plan}`, { allowed_countries: ['US'] })
  await service.admin('POST', `${store.at}/sandbox/customers`, { email: 'fr@example.com', country: 'FR' })
  assert.match(await refused({ customer: 'fr@example.com' }), /^400 customer takes a customer in US/)
  await service.admin('PATCH', `${store.at}/plans/${plan}`, { status: 'disabled' })
  assert.match(await refused({}), /^409 Plan plan_\d+ is disabled/)
  assert.equal(await contracts(), 0)
  assert.deepEqual(await members(store), {})
})
