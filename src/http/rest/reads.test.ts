import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { publicId } from '#kit/ids'
import { BillingAttemptBody, MemberBody, SubscriptionBody } from '#resources'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'
import { Envelope } from './envelope.ts'
import { at, attemptsOf, joined, START } from './subscription.test-helper.ts'

const { db } = await testDatabase()
const { rest } = testServer(db)
const aClockedStore = (given = {}) => aStore(db, { clockAt: at(START), ...given })

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
    loyalty_tier: null,
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
    interval: 'month',
    interval_count: 1,
    cycle_index: 1,
    max_cycles: null,
    trial_ends_at: null,
    next_billing_date: '2026-02-28T15:00:00.000Z',
    paused_at: null,
    resumes_at: null,
    cancelled_at: null,
    cancel_reason: null,
    reactivatable_until: null,
    pending_change: null,
    gift: null,
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
        recovered: false,
        recovered_amount: 0,
        charged_after_stop: false,
        action_required: null,
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
        recovered: false,
        recovered_amount: 0,
        charged_after_stop: false,
        action_required: null,
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

test('amounts have the decimals of their currency', async () => {
  const store = await aClockedStore({ currency: 'JPY', timezone: 'Asia/Tokyo' })
  const { subscriptionId } = await joined(store, START, { currency: 'JPY', priceMinor: 2900 })
  const { data } = (await rest(`/subscriptions/${publicId('sub', subscriptionId)}`, await store.aKey())).json()
  assert.deepEqual([data.price, data.currency, data.next_billing_date], [2900, 'JPY', '2026-02-28T15:00:00.000Z'])
})
