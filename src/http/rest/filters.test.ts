import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicId } from '#kit/ids'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { refusedFor, testServer } from '../server.test-helper.ts'
import { at, attemptsOf, idsOf, joined, nothing, START } from './subscription.test-helper.ts'

const { db } = await testDatabase()
const { rest } = testServer(db)
const aClockedStore = (given = {}) => aStore(db, { clockAt: at(START), ...given })

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
  const customer = { id: '77001', email, firstName: null, lastName: null, updatedAt: null }
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
    assert.deepEqual((await rest(`/members?${filter}`, key)).json(), nothing, filter)
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
    `customer_id=gid://shopify/Customer/${number}`,
    'plan_id=x'
  ]) {
    assert.deepEqual((await rest(`/subscriptions?${filter}`, key)).json(), nothing, filter)
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
    ['created_after=2026-01-30&created_before=2026-02-01', found],
    ['created_after=0001-01-01&created_before=9999-12-31', found],
    ['created_after=0001-01-01T00:00:00%2B14:00&created_before=9999-12-31T23:59:59-12:00', found],
    ['created_after=9999-12-31', []]
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

  assert.deepEqual(refusedFor(await rest(`/members/${member}`, key), 'member_id'), {
    error: { code: 'not_found', message: `There is no member ${member}` }
  })
  assert.deepEqual(refusedFor(await rest(`/subscriptions/${subscription}`, key), 'subscription_id'), {
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
    assert.deepEqual((await rest(path, key)).json(), nothing, path)
  }
  assert.equal((await rest(`/members/${member}`, await theirs.aKey())).statusCode, 200)
})
