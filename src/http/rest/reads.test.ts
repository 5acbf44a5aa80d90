import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { publicId } from '#kit/ids'
import { instant, int, row, sql } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { findSubscriptionByContract, syncContracts } from '#subscriptions'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { testServer } from '../test-server.ts'
import { Envelope } from './envelope.ts'
import { BillingAttemptBody } from './present-billing-attempt.ts'
import { MemberBody } from './present-member.ts'
import { SubscriptionBody } from './present-subscription.ts'

const { db } = await testDatabase()
const { rest } = testServer(db)

const START = '2026-01-31T15:00:00Z'
const at = (text: string) => Temporal.Instant.from(text)

/** Someone joins at `when`: our ids of what came of it. */
async function joined(store: BuiltStore, when = START, over: Partial<PlatformContract> = {}) {
  const contract = aContract(at(when), over)
  return store.inStore(async (ctx) => {
    await syncContracts(ctx, [contract], [anOrder(at(when), { id: contract.originOrder!.id })])
    const found = await findSubscriptionByContract(ctx, contract.id)
    const times = await ctx.tx.one(
      row({ created: instant, updated: instant }),
      sql`select created_at as created, updated_at as updated from members
           where store_id = ${ctx.storeId} and id = ${found!.memberId}`
    )
    return { contract, memberId: found!.memberId, subscriptionId: found!.id, ...times }
  })
}

const aClockedStore = (given = {}) => aStore(db, { clockAt: at(START), ...given })
const idsOf = (response: { json(): { data: { id: string }[] } }) => response.json().data.map(({ id }) => id)
const empty = { data: [], meta: { total: 0, limit: 50, offset: 0, has_more: false } }

test('a member: the whole body, by id and in the list', async () => {
  const store = await aClockedStore()
  const key = await store.aKey()
  const { contract, memberId } = await joined(store)
  const member = {
    id: publicId('mem', memberId),
    customer: {
      id: publicId('cust', memberId),
      shopify_id: `gid://platform/Customer/${contract.customer!.id}`,
      email: contract.customer!.email,
      first_name: 'Ada',
      last_name: 'Adler'
    },
    status: 'active',
    plan_id: null,
    plan_name: null,
    tier: null,
    loyalty_points: 0,
    store_credit_balance: 0,
    currency: 'USD',
    birth_date: null,
    member_since: '2026-01-31T15:00:00.000Z',
    next_billing_date: '2026-02-28T15:00:00.000Z',
    created_at: '2026-01-31T15:00:00.000Z',
    updated_at: '2026-01-31T15:00:00.000Z'
  }
  const meta = { total: 1, limit: 1, offset: 0, has_more: false }

  const one = await rest(`/members/${member.id}`, key)
  assert.equal(one.statusCode, 200)
  assert.equal(one.headers['content-type'], 'application/json; charset=utf-8')
  assert.deepEqual(one.json(), { data: member, meta })
  assert.ok(Value.Check(Envelope(MemberBody), one.json()))
  assert.deepEqual((await rest('/members', key)).json(), { data: [member], meta: { ...meta, limit: 50 } })
})

test('a subscription: the whole body, by id and in the list', async () => {
  const store = await aClockedStore()
  const key = await store.aKey()
  const { contract, memberId, subscriptionId } = await joined(store)
  const id = publicId('sub', subscriptionId)
  const subscription = {
    id,
    subscription_id: id,
    shopify_subscription_id: `gid://platform/SubscriptionContract/${contract.id}`,
    customer_id: publicId('cust', memberId),
    customer: {
      id: publicId('cust', memberId),
      shopify_id: `gid://platform/Customer/${contract.customer!.id}`,
      email: contract.customer!.email,
      first_name: 'Ada',
      last_name: 'Adler'
    },
    plan_id: null,
    plan: { id: null, name: 'VIP', price: 29, currency: 'USD', billing_frequency: 'monthly' },
    status: 'active',
    price: 29,
    currency: 'USD',
    cycle_index: 1,
    trial_ends_at: null,
    next_billing_date: '2026-02-28T15:00:00.000Z',
    paused_at: null,
    resumes_at: null,
    cancelled_at: null,
    cancel_reason: null,
    offer: null,
    created_at: '2026-01-31T15:00:00.000Z',
    updated_at: '2026-01-31T15:00:00.000Z'
  }
  const meta = { total: 1, limit: 1, offset: 0, has_more: false }

  const one = await rest(`/subscriptions/${id}`, key)
  assert.equal(one.statusCode, 200)
  assert.deepEqual(one.json(), { data: subscription, meta })
  assert.ok(Value.Check(Envelope(SubscriptionBody), one.json()))
  assert.deepEqual((await rest('/subscriptions', key)).json(), { data: [subscription], meta: { ...meta, limit: 50 } })
})

/** Attempts as billing leaves them, one per cycle from the second on. */
async function attemptsOf(store: BuiltStore, subscriptionId: number) {
  return store.inStore(({ tx }) =>
    tx.many(
      row({ id: int }),
      sql`insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key,
              amount_minor, currency, scheduled_at, check_at, error_code, error_message, decline_code, retry_at,
              attempts_remaining, payment_method, created_at, completed_at, updated_at)
          values (${store.storeId}, ${subscriptionId}, 2, 1, 'failed', 'a', 2995, 'USD', '2026-02-28T15:00:00Z', null,
              'PAYMENT_METHOD_DECLINED', 'Declined', 'card_declined', '2026-03-02T15:00:00Z', 3,
              '{"type":"card","lastFour":"4242","brand":"visa"}', '2026-02-28T15:00:00Z', '2026-02-28T15:00:01Z',
              '2026-02-28T15:00:01Z'),
            (${store.storeId}, ${subscriptionId}, 3, 1, 'pending', 'b', 2995, 'USD', '2026-03-31T14:00:00Z',
              '2026-03-31T14:00:00Z', null, null, null, null, 4, null, '2026-03-31T14:00:00Z', null,
              '2026-03-31T14:00:00Z')
          returning id`
    )
  )
}

test('billing attempts: the whole bodies, newest first', async () => {
  const store = await aClockedStore()
  const { subscriptionId } = await joined(store)
  const [failed, pending] = await attemptsOf(store, subscriptionId)
  const response = await rest('/billing-attempts', await store.aKey(['read:billing']))

  assert.deepEqual(response.json(), {
    data: [
      {
        id: publicId('ba', pending!.id),
        subscription_id: publicId('sub', subscriptionId),
        status: 'pending',
        amount: 29.95,
        currency: 'USD',
        date: '2026-03-31T14:00:00.000Z',
        attempt_number: 1,
        cycle_index: 3,
        error: null,
        retry_scheduled: false,
        retry_date: null,
        attempts_remaining: 4,
        order: null,
        payment_method: null,
        created_at: '2026-03-31T14:00:00.000Z',
        completed_at: null
      },
      {
        id: publicId('ba', failed!.id),
        subscription_id: publicId('sub', subscriptionId),
        status: 'failed',
        amount: 29.95,
        currency: 'USD',
        date: '2026-02-28T15:00:00.000Z',
        attempt_number: 1,
        cycle_index: 2,
        error: { code: 'PAYMENT_METHOD_DECLINED', message: 'Declined', decline_code: 'card_declined' },
        retry_scheduled: true,
        retry_date: '2026-03-02T15:00:00.000Z',
        attempts_remaining: 3,
        order: null,
        payment_method: { type: 'card', last_four: '4242', brand: 'visa' },
        created_at: '2026-02-28T15:00:00.000Z',
        completed_at: '2026-02-28T15:00:01.000Z'
      }
    ],
    meta: { total: 2, limit: 50, offset: 0, has_more: false }
  })
  for (const attempt of response.json().data) assert.ok(Value.Check(BillingAttemptBody, attempt))
})

test('pages: limit and offset, total, has_more, newest first', async () => {
  const store = await aClockedStore()
  const key = await store.aKey()
  const members: string[] = []
  for (let i = 0; i < 3; i++) members.unshift(publicId('mem', (await joined(store)).memberId))

  const first = await rest('/members?limit=2', key)
  assert.deepEqual(idsOf(first), members.slice(0, 2))
  assert.deepEqual(first.json().meta, { total: 3, limit: 2, offset: 0, has_more: true })
  const second = await rest('/members?limit=2&offset=2', key)
  assert.deepEqual(idsOf(second), members.slice(2))
  assert.deepEqual(second.json().meta, { total: 3, limit: 2, offset: 2, has_more: false })
  assert.deepEqual((await rest('/members?offset=99', key)).json(), {
    data: [],
    meta: { total: 3, limit: 50, offset: 99, has_more: false }
  })
})

test('member filters combine; one that nothing can match is an empty list, not an error', async () => {
  const store = await aClockedStore()
  const key = await store.aKey()
  const email = "o'brien+%_@example.com"
  const customer = { id: '77001', email, firstName: null, lastName: null }
  const { memberId } = await joined(store, START, { customer })
  await joined(store, START, { status: 'paused' })
  const found = [publicId('mem', memberId)]

  assert.deepEqual(idsOf(await rest(`/members?email=${encodeURIComponent(email)}`, key)), found)
  assert.deepEqual(
    idsOf(await rest(`/members?status=active&email=${encodeURIComponent(email.toUpperCase())}`, key)),
    found
  )
  assert.deepEqual(idsOf(await rest('/members?status=active', key)), found)
  for (const filter of [
    'email=%25',
    'email=a@b.c',
    'plan_id=plan_1',
    'plan_id=nonsense',
    'plan_id=mem_1',
    'status=cancelled'
  ]) {
    assert.deepEqual((await rest(`/members?${filter}`, key)).json(), empty, filter)
  }
})

test('subscription filters: customer in three spellings, status as shown', async () => {
  const store = await aClockedStore()
  const key = await store.aKey()
  const { contract, memberId, subscriptionId } = await joined(store)
  await joined(store)
  const number = contract.customer!.id
  const mine = [publicId('sub', subscriptionId)]

  for (const customer of [publicId('cust', memberId), number, `gid://platform/Customer/${number}`]) {
    assert.deepEqual(idsOf(await rest(`/subscriptions?customer_id=${encodeURIComponent(customer)}`, key)), mine)
  }
  assert.equal((await rest('/subscriptions?status=active', key)).json().meta.total, 2)
  for (const filter of [
    'customer_id=cust_999999',
    'customer_id=nobody',
    'customer_id=99999999999999999999999',
    'plan_id=x'
  ]) {
    assert.deepEqual((await rest(`/subscriptions?${filter}`, key)).json(), empty, filter)
  }
})

test('dates: midnight in the shop, date-times as they are, both ends exclusive', async () => {
  // New York: 31 January begins at 05:00 UTC.
  const store = await aClockedStore({ clockAt: at('2026-01-31T05:00:00Z') })
  const key = await store.aKey()
  const { subscriptionId } = await joined(store, '2026-01-31T05:00:00Z')
  const found = [publicId('sub', subscriptionId)]

  for (const [filter, expected] of [
    ['created_after=2026-01-30', found],
    ['created_after=2026-01-31', []],
    ['created_before=2026-01-31', []],
    ['created_before=2026-02-01', found],
    ['created_after=2026-01-31T04:59:59.999Z', found],
    ['created_after=2026-01-31T05:00:00Z', []],
    ['created_after=2026-01-30T23:59:59', found],
    ['created_after=2026-01-31T00:00', []],
    ['created_before=2026-01-31T06:00:00.001%2B01:00', found],
    ['created_before=2026-01-31T06:00:00.001+01:00', found],
    ['created_before=2026-01-31T06:00:00%2B01:00', []],
    ['created_after=2026-01-30&created_before=2026-02-01', found]
  ] as const) {
    assert.deepEqual(idsOf(await rest(`/subscriptions?${filter}`, key)), expected, filter)
  }
})

test('billing attempts by subscription, status and date', async () => {
  const store = await aClockedStore()
  const key = await store.aKey()
  const { subscriptionId } = await joined(store)
  const [failed, pending] = (await attemptsOf(store, subscriptionId)).map(({ id }) => publicId('ba', id))
  const subscription = publicId('sub', subscriptionId)

  for (const [filter, expected] of [
    [`subscription_id=${subscription}`, [pending, failed]],
    ['status=failed', [failed]],
    ['status=success', []],
    ['date_from=2026-03-01', [pending]],
    ['date_to=2026-03-01', [failed]],
    [`subscription_id=${subscription}&status=pending&date_from=2026-03-31&date_to=2026-04-01`, [pending]],
    ['subscription_id=sub_999999', []],
    ['subscription_id=ba_1', []]
  ] as const) {
    assert.deepEqual(idsOf(await rest(`/billing-attempts?${filter}`, key)), expected, filter)
  }
})

test("another store's ids are unknown ones, in paths and in filters, and its rows are in no list", async () => {
  const [mine, theirs] = [await aClockedStore(), await aClockedStore()]
  const { memberId, subscriptionId, contract } = await joined(theirs)
  await attemptsOf(theirs, subscriptionId)
  const key = await mine.aKey()
  const [member, subscription] = [publicId('mem', memberId), publicId('sub', subscriptionId)]

  assert.deepEqual((await rest(`/members/${member}`, key)).json(), {
    error: { code: 'not_found', message: `There is no member ${member}` }
  })
  assert.deepEqual((await rest(`/subscriptions/${subscription}`, key)).json(), {
    error: { code: 'not_found', message: `There is no subscription ${subscription}` }
  })
  for (const path of [
    '/members',
    `/members?email=${contract.customer!.email}`,
    '/subscriptions',
    `/subscriptions?customer_id=${publicId('cust', memberId)}`,
    `/subscriptions?customer_id=${contract.customer!.id}`,
    '/billing-attempts',
    `/billing-attempts?subscription_id=${subscription}`
  ]) {
    assert.deepEqual((await rest(path, key)).json(), empty, path)
  }
  assert.equal((await rest(`/members/${member}`, await theirs.aKey())).statusCode, 200)
})

test('amounts have the decimals of their currency', async () => {
  const store = await aClockedStore({ currency: 'JPY', timezone: 'Asia/Tokyo' })
  const { subscriptionId } = await joined(store, START, { currency: 'JPY', priceMinor: 2900 })
  const { data } = (await rest(`/subscriptions/${publicId('sub', subscriptionId)}`, await store.aKey())).json()
  assert.deepEqual([data.price, data.currency, data.next_billing_date], [2900, 'JPY', '2026-02-28T15:00:00.000Z'])
})
