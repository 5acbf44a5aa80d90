// The Loyalty API through the signature of the app proxy, as a theme reads it, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import { findCustomerId, parseCustomerId } from '#members'
import { platformAccess } from '#stores'
import { signedQuery } from '../src/http/storefront/signed.test-helper.ts'
import type { Cause } from '../src/loyalty/causes/cause.ts'
import { countDeeds } from '../src/loyalty/earning/count-deeds.ts'
import { adminOf } from './admin-calls.ts'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents } from './recorded-events.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { controls } = service.sandbox
const { run, json: document } = commandLine(service)

const POINTS = { reward_type: 'points', amount: 10 }
const EVERYBODY = {
  customer_settings: { apply_to: 'all', action: 'include', tags: [] },
  product_ids: [],
  collection_ids: [],
  tier_ids: []
}

async function aShop(given: Record<string, unknown> = {}) {
  const store = await aStoreWithEvents(service, given)
  const { storeId, at, domain } = store
  const credentials = await platformAccess(db, testVault, storeId)
  const settle = () => service.deps.settle(storeId)
  /** What the platform's proxy forwards of a theme's request. */
  const ask = async (
    path: string,
    {
      as = '',
      method = 'GET',
      query = {},
      secret
    }: { as?: string; method?: string; query?: Record<string, string | string[]>; secret?: string } = {}
  ) => {
    const signed = signedQuery({ domain, credentials }, query, { customerId: as, ...(secret && { secret }) })
    const response = await fetch(`${service.urls.public}/apps/svc-api/v1/loyalty${path}?${signed}`, {
      method,
      ...(method !== 'GET' && { headers: { 'content-type': 'application/json' } })
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  const memberOf = async (platformId: string) =>
    (await db.inStore(storeId, (ctx) => findCustomerId(ctx, parseCustomerId(platformId, 'platform'))))!
  return {
    store,
    storeId,
    settle,
    ask,
    memberOf,
    rule: async (type: string, rules: object = {}, more: object = {}): Promise<number> =>
      (
        await service.admin('POST', `${at}/loyalty/rules`, {
          ...{ type, name: `A ${type}`, rules, reward_rules: POINTS },
          ...more
        })
      ).id,
    change: (id: number, body: object) => service.admin('PATCH', `${at}/loyalty/rules/${id}`, body),
    async customer(email: string): Promise<string> {
      const { id } = await controls.createCustomer({ storeId, email })
      await settle()
      return id
    },
    async order(customerId: string, total: string) {
      const { id } = await controls.order({ storeId, customerId, total })
      await settle()
      return id
    },
    async refund(orderId: string) {
      await controls.refund({ storeId, orderId })
      await settle()
    },
    /** What the consumers of facts count. */
    count: async (customerId: string, cause: Cause, key: string, ruleId: number | null = null) => {
      const memberId = await memberOf(customerId)
      await db.inStore(storeId, (ctx) =>
        countDeeds(ctx, [{ memberId, cause, key, at: ctx.now, orderId: null, ruleId }])
      )
    },
    progress: async (id: number, as: string) => {
      const { body } = await ask(`/rules/${id}`, { as })
      const { current, required, percentage } = body.data.completion_progress
      return [current, required, percentage]
    },
    awards: () =>
      db.inStore(storeId, ({ tx }) =>
        tx.one(row({ count: int }), sql`select count(*) from loyalty_awards where store_id = ${storeId}`)
      ),
    report: (body: object, key = store.key, headers: Record<string, string> = {}) =>
      post('/loyalty/events', key, body, headers)
  }
}

async function post(path: string, key: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.urls.public}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body)
  })
  return { status: response.status, body: (await response.json()) as any, headers: response.headers }
}

test('a rule has every field of the contract, and the progress of who is logged in', async () => {
  const { rule, change, ask, customer, order } = await aShop()
  const id = await rule('goal_spend', { goal_amount: 100 }, { description: 'Ends', end_date: '2026-12-31' })
  const ada = await customer('ada@example.com')
  await order(ada, '49.99')
  const expected = {
    id,
    status: 1,
    type: 'goal_spend',
    name: 'A goal_spend',
    description: 'Ends',
    rules: { goal_amount: 100, ...EVERYBODY },
    reward_rules: { ...POINTS, message: '' },
    start_date: '2026-01-31',
    end_date: '2026-12-31',
    completion_progress: null
  }
  assert.deepEqual(await ask(`/rules/${id}`), { status: 200, body: { data: expected } })
  assert.deepEqual(await ask('/rules'), { status: 200, body: { data: [expected] } })
  const hers = { ...expected, completion_progress: { current: 49, required: 100, percentage: 49 } }
  assert.deepEqual((await ask(`/rules/${id}`, { as: ada })).body, { data: hers })
  assert.deepEqual((await ask('/rules', { as: ada })).body, { data: [hers] })
  // Somebody of whom nothing is known yet has begun nothing.
  assert.deepEqual((await ask(`/rules/${id}`, { as: '123456789' })).body.data.completion_progress, {
    ...{ current: 0, required: 100, percentage: 0 }
  })
  await change(id, { end_date: null })
  assert.equal((await ask(`/rules/${id}`)).body.data.end_date, null)
})

test('rules are filtered by type and status; status follows the clock of the shop, and archived ones are gone', async () => {
  const { store, rule, change, ask } = await aShop()
  const goal = await rule('goal_spend', { goal_amount: 10 }, { end_date: '2026-02-01' })
  const later = await rule('goal_spend', { goal_amount: 20 }, { start_date: '2026-02-02' })
  const off = await rule('birthday_reward')
  await change(off, { enabled: false })
  const archived = await rule('create_account')
  await service.admin('DELETE', `${store.at}/loyalty/rules/${archived}`)
  const listed = async (query: Record<string, string> = {}) =>
    (await ask('/rules', { query })).body.data.map((one: any) => [one.id, one.status])
  assert.deepEqual(await listed(), [
    [goal, 1],
    [later, 0],
    [off, 0]
  ])
  assert.deepEqual(await listed({ status: '1' }), [[goal, 1]])
  assert.deepEqual(await listed({ status: '0' }), [
    [later, 0],
    [off, 0]
  ])
  assert.deepEqual(await listed({ type: 'goal_spend', status: '0' }), [[later, 0]])
  assert.deepEqual(await listed({ type: 'referral' }), [])
  // A theme may add what it likes to an address.
  assert.equal((await listed({ _: '17', page: '2' })).length, 3)
  // Both days are the shop's, whole: New York is five hours behind.
  await store.advance({ to: '2026-02-02T04:59:59Z' })
  assert.deepEqual(await listed({ type: 'goal_spend' }), [
    [goal, 1],
    [later, 0]
  ])
  await store.advance({ to: '2026-02-02T05:00:00Z' })
  assert.deepEqual(await listed({ type: 'goal_spend' }), [
    [goal, 0],
    [later, 1]
  ])
  assert.equal((await ask(`/rules/${archived}`)).status, 404)
})

test('errors: 422 names the parameter and what it accepts, 404 a rule that is none, 401 what the proxy did not sign', async () => {
  const { rule, ask, customer } = await aShop()
  const id = await rule('birthday_reward')
  const ada = await customer('ada@example.com')
  const others = await aShop()
  for (const [query, message] of [
    [{ type: 'spend' }, /^type must be one of anniversary_reward, birthday_reward, .*, upload_receipt$/],
    [{ type: '' }, /^type must be one of /],
    [{ type: ['goal_spend', 'social'] }, /^type is given more than once$/],
    [{ status: '2' }, /^status must be 1 or 0$/],
    [{ status: 'active' }, /^status must be 1 or 0$/],
    [{ status: '1.0' }, /^status must be 1 or 0$/],
    [{ status: '01' }, /^status must be 1 or 0$/],
    [{ status: ['1', '0'] }, /^status is given more than once$/],
    [{ type: 'x', status: 'y' }, /^type must be one of .*; status must be 1 or 0$/]
  ] as [Record<string, string | string[]>, RegExp][]) {
    const { status, body } = await ask('/rules', { query })
    assert.equal(status, 422, JSON.stringify(query))
    assert.match(body.message, message)
    // The list of coupons has the same filters, of its own types.
    const coupons = await ask(`/customers/${ada}/coupons`, { as: ada, query })
    assert.deepEqual([coupons.status, Object.keys(coupons.body.errors)], [422, Object.keys(body.errors)])
    if (!('type' in query)) assert.deepEqual(coupons.body, body)
    assert.deepEqual(Object.keys(body.errors), Object.keys(query).slice(0, Object.keys(body.errors).length))
  }
  for (const missing of ['999999', 'nonsense', '0', '1e3', '9'.repeat(30)]) {
    const { status, body } = await ask(`/rules/${missing}`)
    assert.deepEqual([status, body], [404, { message: `There is no loyalty rule ${missing}` }])
  }
  assert.equal((await others.ask(`/rules/${id}`)).status, 404)
  for (const path of ['/rules', `/rules/${id}`, '/customers/1']) {
    assert.equal((await ask(path, { secret: 'another secret of 20 characters' })).status, 401, path)
  }
})

test('progress goes with what is counted, in the list as in the rule: orders, cards, and what comes once', async () => {
  const { rule, ask, customer, order, refund, count, progress } = await aShop()
  const ids = {
    goal: await rule('goal_spend', { goal_amount: 100 }),
    card: await rule('punch_card', { required_purchases: 3 }),
    anew: await rule('punch_card', { required_purchases: 2, resets: true }),
    account: await rule('create_account', { retroactive: true }),
    email: await rule('email_subscription'),
    sms: await rule('sms_subscription'),
    tag: await rule('customer_tag', { tag: 'Ambassador' }),
    birthday: await rule('birthday_reward'),
    reviews: await rule('reviews', { limit: 3 }),
    once: await rule('custom_action', { action_key: 'quiz', one_time: true })
  }
  const endless = await rule('points_for_purchases', {}, { reward_rules: { reward_type: 'points' } })
  const ada = await customer('ada@example.com')
  const shown = async () => {
    const { body } = await ask('/rules', { as: ada })
    const byId = new Map<number, any>(body.data.map((one: any) => [one.id, one.completion_progress]))
    return Object.fromEntries(
      Object.entries(ids).map(([name, id]) => [name, `${byId.get(id).current} of ${byId.get(id).required}`])
    )
  }
  const none = {
    ...{ goal: '0 of 100', card: '0 of 3', anew: '0 of 2', email: '0 of 1', sms: '0 of 1' },
    ...{ tag: '0 of 1', birthday: '0 of 1', reviews: '0 of 3', once: '0 of 1' }
  }
  const { account: _, ...before } = await shown()
  assert.deepEqual(before, none)
  const first = await order(ada, '60.00')
  await order(ada, '39.50')
  await count(ada, { kind: 'account', isPast: true }, 'account')
  await count(ada, { kind: 'consent', channel: 'email' }, 'consent:email')
  await count(ada, { kind: 'consent', channel: 'sms' }, 'consent:sms')
  await count(ada, { kind: 'tag', tag: 'Ambassador' }, 'tag:ambassador')
  await count(ada, { kind: 'occasion', occasion: 'birthday' }, 'birthday:2026')
  await count(ada, { kind: 'review', provider: 'judge.me', isDeleted: false }, 'review:1')
  await count(ada, { kind: 'action', actionKey: 'quiz' }, 'action:1')
  await count(ada, { kind: 'action', actionKey: 'quiz' }, 'action:2')
  assert.deepEqual(await shown(), {
    ...{ goal: '99 of 100', card: '2 of 3', anew: '0 of 2', account: '1 of 1', email: '1 of 1', sms: '1 of 1' },
    ...{ tag: '1 of 1', birthday: '1 of 1', reviews: '1 of 3', once: '1 of 1' }
  })
  assert.deepEqual(await progress(ids.goal, ada), [99, 100, 99])
  assert.deepEqual(await progress(ids.reviews, ada), [1, 3, 33])
  await order(ada, '300.00')
  assert.deepEqual(await progress(ids.goal, ada), [399, 100, 100])
  assert.deepEqual(await progress(ids.card, ada), [3, 3, 100])
  assert.deepEqual(await progress(ids.anew, ada), [1, 2, 50])
  await refund(first)
  assert.deepEqual(await progress(ids.card, ada), [2, 3, 66])
  assert.equal((await ask(`/rules/${endless}`, { as: ada })).body.data.completion_progress, null)
  // Nobody else is any further.
  const bea = await customer('bea@example.com')
  assert.deepEqual(await progress(ids.goal, bea), [0, 100, 0])
})

test('a birthday of last year is not complete any more, and its reward of last year stays', async () => {
  const { store, rule, customer, count, progress, ask } = await aShop()
  const id = await rule('birthday_reward')
  const ada = await customer('ada@example.com')
  await count(ada, { kind: 'occasion', occasion: 'birthday' }, 'birthday:2026')
  assert.deepEqual(await progress(id, ada), [1, 1, 100])
  await store.advance({ to: '2027-01-01T05:00:00Z' })
  assert.deepEqual(await progress(id, ada), [0, 1, 0])
  assert.deepEqual((await ask(`/customers/${ada}`, { as: ada })).body.data.completed_rules, [id])
  await count(ada, { kind: 'occasion', occasion: 'birthday' }, 'birthday:2027')
  assert.deepEqual(await progress(id, ada), [1, 1, 100])
})

test("a customer reads their own data, by number or global id, and nobody else's", async () => {
  const { store, rule, ask, customer, order, memberOf, settle } = await aShop()
  await service.admin('PATCH', `${store.at}/settings`, { loyalty: { hold_days: 3 } })
  await rule('points_for_purchases', {}, { reward_rules: { reward_type: 'points' } })
  const quiz = await rule('custom_action', { action_key: 'quiz', one_time: true })
  await rule('goal_spend', { goal_amount: 1000 })
  const { customer: ada } = await store.member('ada@example.com')
  const data = {
    ...{ shopify_id: ada.id, email: 'ada@example.com', loyalty_points: 0, pending_points: 0, lifetime_points: 0 },
    ...{ tier: null, next_tier: null, birth_date: null, referral_url: null, completed_rules: [], coupons_count: 0 }
  }
  assert.deepEqual(await ask(`/customers/${ada.id}`, { as: ada.id }), { status: 200, body: { data } })
  await store.client.loyalty.reportEvent({ customer_id: ada.id, type: 'custom_action', action_key: 'quiz' })
  const member = `mem_${await memberOf(ada.id)}`
  await store.client.members.update(member, { birth_date: '1990-02-28' })
  const globalId = encodeURIComponent(`gid://platform/Customer/${ada.id}`)
  const { status, body } = await ask(`/customers/${globalId}`, { as: ada.id })
  assert.equal(status, 200)
  assert.deepEqual(body.data, {
    ...data,
    ...{ loyalty_points: 10, lifetime_points: 10, birth_date: '1990-02-28', completed_rules: [quiz] }
  })
  await order(ada.id, '40.00')
  const after = (await ask(`/customers/${ada.id}`, { as: ada.id })).body.data
  assert.deepEqual([after.loyalty_points, after.pending_points, after.lifetime_points], [10, 40, 10])
  const tiersOf = async () => {
    const { tier, next_tier: next } = (await ask(`/customers/${ada.id}`, { as: ada.id })).body.data
    return [tier, next]
  }
  const tier = async (name: string, entry: object) => {
    await service.admin('POST', `${store.at}/loyalty/tiers`, { name, entry_rules: entry })
    await settle()
  }
  await tier('Silver', { points_earned: 25 })
  assert.deepEqual(await tiersOf(), [null, { name: 'Silver', points_remaining: 15 }])
  await tier('Gold', { min_spend: 900 })
  await store.advance({ by: 'P3D' })
  assert.deepEqual(await tiersOf(), ['Silver', { name: 'Gold', points_remaining: null }])
  assert.equal((await store.client.members.get(member)).loyalty_tier, 'Silver')
  // Points for purchases never end.
  assert.deepEqual(after.completed_rules, [quiz])

  const bea = await customer('bea@example.com')
  const others = { message: 'These data belong to another customer' }
  for (const id of [bea, '999', 'nonsense', `cust_${await memberOf(ada.id)}`, `0${ada.id}`]) {
    assert.deepEqual(await ask(`/customers/${id}`, { as: ada.id }), { status: 403, body: others }, id)
  }
  for (const id of [ada.id, '999']) {
    const { status, body } = await ask(`/customers/${id}`)
    assert.deepEqual([status, body], [403, { message: 'Log in to read the loyalty data of a customer' }])
  }
  assert.deepEqual(await ask('/customers/999', { as: '999' }), {
    ...{ status: 404, body: { message: 'There is no customer 999' } }
  })
})

test('a visit of a social page counts once, also of two requests at once, and returns the rule', async () => {
  const { store, rule, change, ask, customer, awards } = await aShop()
  const id = await rule('social', { platform: 'instagram', url: 'https://www.instagram.com/example' })
  const other = await rule('social', { platform: 'tiktok', url: 'https://www.tiktok.com/@example' })
  const ada = await customer('ada@example.com')
  const visit = (ruleId: number | string, as = ada) => ask(`/social/${ruleId}`, { method: 'POST', as })
  const [one, two] = await Promise.all([visit(id), visit(id)])
  assert.deepEqual([one.status, two.status], [200, 200])
  assert.deepEqual(one.body, (await ask(`/rules/${id}`, { as: ada })).body)
  assert.deepEqual(one.body.data.completion_progress, { current: 1, required: 1, percentage: 100 })
  assert.equal((await visit(id)).status, 200)
  assert.equal((await awards()).count, 1)
  const points = async () => (await ask(`/customers/${ada}`, { as: ada })).body.data.loyalty_points
  assert.equal(await points(), 10)
  // The other page is another visit.
  assert.equal((await ask(`/rules/${other}`, { as: ada })).body.data.completion_progress.current, 0)
  assert.equal((await visit(other)).status, 200)
  assert.equal(await points(), 20)

  assert.deepEqual(await visit(id, ''), { status: 403, body: { message: 'Log in to report a visit of a social page' } })
  const birthday = await rule('birthday_reward')
  for (const none of [999_999, 'x']) assert.equal((await visit(none)).status, 404, `${none}`)
  assert.deepEqual(await visit(birthday), {
    ...{ status: 404, body: { message: `Loyalty rule ${birthday} is not of the type social` } }
  })
  const bea = await customer('bea@example.com')
  await change(id, { enabled: false })
  assert.deepEqual(await visit(id, bea), { status: 403, body: { message: `Loyalty rule ${id} is not active` } })
  // Who has visited before may report it again.
  assert.deepEqual([(await visit(id)).status, (await visit(id)).body.data.status], [200, 0])
  await change(id, {
    enabled: true,
    rules: { platform: 'x', url: 'https://x.com', customer_settings: { apply_to: 'members' } }
  })
  assert.match((await visit(id, bea)).body.message, /is not for this customer$/)
  await service.admin('PATCH', `${store.at}/settings`, { loyalty: { enabled: 'off' } })
  assert.match((await visit(other, bea)).body.message, /waits: loyalty is switched off$/)
  assert.equal((await awards()).count, 2)
  await store.soundBooks()
})

test('a custom action that is reported earns by its rules, and an event id counts once', async () => {
  const { store, rule, customer, report, ask, awards, memberOf } = await aShop()
  const quiz = await rule('custom_action', { action_key: 'quiz' })
  const first = await rule('custom_action', { action_key: 'quiz', one_time: true }, { name: 'First' })
  await rule('custom_action', { action_key: 'survey' })
  const ada = await customer('ada@example.com')
  const event = { customer_id: ada, type: 'custom_action', action_key: 'quiz', event_id: 'quiz-1' }
  const [one, two] = await Promise.all([report(event), report(event)])
  const data = {
    ...{ customer_id: `cust_${await memberOf(ada)}`, type: 'custom_action', event_id: 'quiz-1', points: 20 },
    loyalty_points: 20,
    rules: [
      { id: quiz, name: 'A custom_action', reward_type: 'points', points: 10 },
      { id: first, name: 'First', reward_type: 'points', points: 10 }
    ]
  }
  for (const { status, body } of [one, two, await report(event)]) {
    assert.equal(status, 200)
    assert.deepEqual(body, { data, meta: { total: 1, limit: 1, offset: 0, has_more: false } })
  }
  assert.equal((await awards()).count, 2)
  const second = await report({ ...event, event_id: 'quiz-2' })
  assert.deepEqual([second.body.data.points, second.body.data.rules.length], [10, 1])
  // The same id of another action is another event.
  assert.equal((await report({ ...event, action_key: 'survey' })).body.data.points, 10)
  const none = await report({ ...event, action_key: 'unknown' })
  assert.deepEqual([none.body.data.points, none.body.data.rules, none.body.data.loyalty_points], [0, [], 40])
  assert.equal((await ask(`/customers/${ada}`, { as: ada })).body.data.loyalty_points, 40)
  await store.soundBooks()
})

test('without an event id an Idempotency-Key identifies the event, for longer than its response is kept; with neither each request counts', async () => {
  const { storeId, rule, customer, report, awards } = await aShop()
  await rule('custom_action', { action_key: 'quiz' })
  await customer('ada@example.com')
  const event = { email: 'ADA@example.com', type: 'custom_action', action_key: 'quiz' }
  const key = { 'idempotency-key': 'k1' }
  const first = await report(event, undefined, key)
  const again = await report(event, undefined, key)
  assert.deepEqual([again.status, again.body], [200, first.body])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  await db.inStore(storeId, ({ tx }) => tx.run(sql`delete from idempotent_responses where store_id = ${storeId}`))
  assert.deepEqual((await report(event, undefined, key)).body, first.body)
  assert.equal((await awards()).count, 1)
  await report(event)
  const { body } = await report(event)
  assert.deepEqual([body.data.event_id, body.data.loyalty_points], [null, 30])
  assert.equal((await awards()).count, 3)
})

test('a review that is deleted takes its reward back for good, whichever report comes first', async () => {
  const { store, rule, customer, report, ask, progress } = await aShop()
  const id = await rule('reviews', { limit: 2, provider: 'Judge.me' })
  const ada = await customer('ada@example.com')
  const review = { customer_id: ada, type: 'review', provider: 'judge.me' }
  const points = async (body: object) => (await report({ ...review, ...body })).body.data.points
  assert.equal(await points({ event_id: '1' }), 10)
  assert.equal(await points({ event_id: '1', deleted: true }), 0)
  assert.deepEqual(await progress(id, ada), [0, 2, 0])
  assert.equal(await points({ event_id: '1', deleted: true }), 0)
  assert.equal(await points({ event_id: '1' }), 0)
  // The deletion arrives before the review.
  assert.equal(await points({ event_id: '2', deleted: true }), 0)
  assert.equal(await points({ event_id: '2' }), 0)
  // Neither uses up the limit.
  assert.equal(await points({ event_id: '3' }), 10)
  assert.equal(await points({ event_id: '4' }), 10)
  assert.equal(await points({ event_id: '5' }), 0)
  assert.equal(await points({ event_id: '6', provider: 'others' }), 0)
  assert.deepEqual(await progress(id, ada), [2, 2, 100])
  const { loyalty_points, lifetime_points } = (await ask(`/customers/${ada}`, { as: ada })).body.data
  assert.deepEqual([loyalty_points, lifetime_points], [20, 20])
  await store.soundBooks()
})

test('an event counts by when it happened: within the dates of a rule, not in the future', async () => {
  const { rule, customer, report } = await aShop()
  await rule('custom_action', { action_key: 'quiz' }, { start_date: '2026-01-10', end_date: '2026-01-31' })
  const ada = await customer('ada@example.com')
  const at = (occurred_at: string) =>
    report({ customer_id: ada, type: 'custom_action', action_key: 'quiz', event_id: occurred_at, occurred_at })
  assert.equal((await at('2026-01-10')).body.data.points, 10)
  assert.equal((await at('2026-01-09')).body.data.points, 0)
  assert.equal((await at('2026-01-31T12:00:00Z')).body.data.points, 10)
  const { status, body } = await at('2026-02-01')
  assert.deepEqual([status, body.error.message], [400, 'occurred_at must not be in the future'])
})

test('events: what is refused, with the field and what it accepts', async () => {
  const { store, customer, report } = await aShop()
  const ada = await customer('ada@example.com')
  const action = { customer_id: ada, type: 'custom_action', action_key: 'quiz' }
  const review = { customer_id: ada, type: 'review', provider: 'judge.me' }
  const key = 'a name of 1 to 64 letters, digits, - _ . or :'
  for (const [body, message] of [
    [{ ...action, type: 'birthday' }, 'type must be custom_action or review'],
    [
      { customer_id: ada, type: 'custom_action' },
      `action_key is required where type is custom_action and must be ${key}`
    ],
    [{ ...action, action_key: 'two words' }, `action_key must be ${key}`],
    [{ ...action, provider: 'x' }, 'provider must be left out where type is custom_action'],
    [{ ...action, event_id: '1', deleted: true }, 'deleted must be left out where type is custom_action'],
    [
      { customer_id: ada, type: 'review' },
      'provider is required where type is review and must be a text of 1 to 50 characters that is not blank'
    ],
    [{ ...review, action_key: 'x' }, 'action_key must be left out where type is review'],
    [
      { ...review, deleted: true },
      'event_id is required where deleted is true and must be 1 to 200 visible ASCII characters without spaces'
    ],
    [{ ...action, event_id: 'a b' }, 'event_id must be 1 to 200 visible ASCII characters without spaces'],
    [{ ...action, email: 'ada@example.com' }, 'email must be left out where customer_id is given'],
    [
      { type: 'custom_action', action_key: 'quiz' },
      "customer_id is required without email and must be a customer id such as cust_24, the platform's number, or its global id"
    ],
    [
      { ...action, customer_id: 'ada@example.com' },
      "customer_id must be a customer id such as cust_24, the platform's number, or its global id"
    ],
    [{ type: 'custom_action', action_key: 'quiz', email: '12345' }, 'email must be an e-mail address'],
    [
      { ...action, customer_id: '99' },
      'customer_id must be a customer of the store: the platform has no such customer'
    ],
    [
      { type: 'custom_action', action_key: 'quiz', email: 'no@example.com' },
      'email must be a customer of the store: the platform has no such customer'
    ]
  ] as [object, string][]) {
    const { status, body: answer } = await report(body)
    assert.deepEqual([status, answer.error?.code, answer.error?.message], [400, 'invalid_request', message])
    assert.equal(answer.error.details[0].field, message.split(' ')[0])
  }
  const { key: others } = await service.admin('POST', `${store.at}/keys`, { name: 'No', scopes: ['read:loyalty'] })
  const { status, body } = await report(action, others)
  assert.deepEqual([status, body.error.message], [403, 'This key lacks the scope write:loyalty'])
})

test('the command line reports events and shows points and progress', async () => {
  const { store, rule, customer, memberOf } = await aShop()
  const quiz = await rule('custom_action', { action_key: 'quiz', one_time: true })
  const reviews = await rule('reviews', { limit: null })
  const ada = await customer('ada@example.com')
  const at = ['--store', store.domain, '--customer', 'ada@example.com']
  const action = ['loyalty', 'event', ...at, '--type', 'custom_action', '--action', 'quiz']
  const reported = await document(...action, '--event-id', 'q1')
  assert.deepEqual(await document(...action, '--event-id', 'q1', '--occurred-at', '2026-01-30'), reported)
  assert.deepEqual([reported.points, reported.loyalty_points, reported.rules.length], [10, 10, 1])
  const review = ['loyalty', 'event', ...at, '--type', 'review', '--provider', 'judge.me', '--event-id', '7']
  assert.equal((await document(...review)).points, 10)
  assert.equal((await document(...review, '--deleted')).points, 0)
  const expected = {
    ...{ customer_id: `cust_${await memberOf(ada)}`, loyalty_points: 10, pending_points: 0, lifetime_points: 10 },
    ...{
      tier: null,
      tier_since: null,
      tier_review_at: null,
      next_tier: null,
      next_tier_points: null,
      referral_url: null,
      coupons_count: 0
    },
    rules: [
      {
        ...{ id: quiz, name: 'A custom_action', type: 'custom_action', status: 1, completed: true },
        ...{ current: 1, required: 1, percentage: 100 }
      },
      {
        ...{ id: reviews, name: 'A reviews', type: 'reviews', status: 1, completed: false },
        ...{ current: null, required: null, percentage: null }
      }
    ]
  }
  assert.deepEqual(await document('loyalty', 'customer', ...at), expected)
  const { out } = await run(['loyalty', 'customer', '--store', store.domain, '--customer', ada])
  assert.match(out, /^loyalty_points +10$/m)
  assert.match(out, new RegExp(`^${quiz} +1 +custom_action +A custom_action +true +1 +1 +100$`, 'm'))
  const refused = await run(['loyalty', 'event', ...at, '--type', 'custom_action'])
  assert.equal(refused.code, 1)
  assert.match(refused.err, /--action \(action_key\) is required where type is custom_action/)
  const unknown = await run(['loyalty', 'customer', '--store', store.domain, '--customer', '99'])
  assert.match(unknown.err, /There is no customer 99/)
})

test('operators name a customer of loyalty by an id or an address, everywhere alike', async () => {
  const { store, customer, memberOf } = await aShop()
  const ada = await customer('ada@example.com')
  const asked = async (path: string) => {
    const { status, body } = await adminOf(service).call(store, 'GET', `/loyalty${path}`)
    return [status, body.error?.message ?? null]
  }
  const id = `cust_${await memberOf(ada)}`
  for (const given of [id, ada, 'ada@example.com', 'ADA@example.com']) {
    const { body } = await adminOf(service).call(store, 'GET', `/loyalty/customers/${given}`)
    assert.equal(body.customer_id, id, given)
    assert.deepEqual(await asked(`/customers/${given}/points`), [200, null])
    for (const list of ['coupons', 'receipts', 'referrals', 'subscription-rewards']) {
      assert.deepEqual(await asked(`/${list}?customer=${given}`), [200, null], list)
    }
  }
  const nobody = 'There is no customer with the address zed@example.com'
  for (const path of [
    '/customers/zed@example.com',
    '/customers/zed@example.com/points',
    '/coupons?customer=zed@example.com'
  ]) {
    assert.deepEqual(await asked(path), [404, nobody], path)
  }
  assert.deepEqual(await asked('/customers/cust_999999'), [404, 'There is no customer cust_999999'])
  const order = join(await mkdtemp(join(tmpdir(), 'perennial-order-')), 'order.json')
  await writeFile(order, JSON.stringify({ currency: 'USD', line_items: [{ price: '1.00', quantity: 1 }] }))
  const asks = ['--store', store.domain, '--order', order, '--customer', 'zed@example.com']
  const shown = await run(['loyalty', 'preview', ...asks])
  assert.deepEqual([shown.code, shown.err], [1, `perennial: ${nobody}\n`])
})

test('help names the argument of a command as its error does', async () => {
  assert.match((await run(['loyalty', '--help'])).out, /^ {2}import \[options\] <path> /m)
  assert.match((await run(['loyalty', 'import'])).err, /<path> is required/)
  assert.match((await run(['--help'])).out, /^ {2}help \[command\] /m)
})

test('a coupon of a free product names it, and a rule whose only reward was refused is not completed', async () => {
  const { store, storeId, rule, customer, ask, report, settle } = await aShop()
  const { id: mug } = await service.sandboxDb.inInstallation((q) =>
    q.one(
      row({ id: text }),
      sql`select id::text as id from sandbox.products where store_id = ${storeId} and handle = 'stoneware-mug'`
    )
  )
  const free = (product: string, name: string) =>
    rule(
      'custom_action',
      { action_key: 'quiz', one_time: true },
      { name, reward_rules: { reward_type: 'free_product', product_id: product } }
    )
  const given = await free(mug, 'A mug')
  await free('99887766', 'Nothing')
  const renewals = { reward_type: 'subscription_free_product', product_id: '99887766', cycles: 1 }
  await rule('custom_action', { action_key: 'quiz', one_time: true }, { name: 'No mug', reward_rules: renewals })
  const { customer: member } = await store.member('vip@example.com', 'VIP')
  await report({ customer_id: member.id, type: 'custom_action', action_key: 'quiz' })
  await settle()
  const { data } = (await ask(`/customers/${member.id}/coupons`, { as: member.id })).body
  const shown = data.map(({ info }: any) => [info.rule_name, info.type, info.product])
  assert.deepEqual(shown, [
    ['Nothing', 'free_product', { id: '99887766', title: null }],
    ['A mug', 'free_product', { id: mug, title: 'Stoneware mug' }]
  ])
  const { completed_rules } = (await ask(`/customers/${member.id}`, { as: member.id })).body.data
  assert.deepEqual(completed_rules, [given])
  const grants = await service.admin('GET', `${store.at}/loyalty/subscription-rewards`)
  assert.deepEqual(
    grants.data.map(({ ended_by }: any) => ended_by),
    ['refused']
  )
  // Of somebody else's quiz a reward of the same rule does not matter.
  const ada = await customer('ada@example.com')
  assert.deepEqual((await ask(`/customers/${ada}`, { as: ada })).body.data.completed_rules, [])
})
