import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { publicId } from '#kit/ids'
import { int, row, sql, text } from '#kit/postgres'
import { BillingAttemptBody } from '#resources'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'
import { Envelope } from './envelope.ts'
import { at, attemptsOf, joined, START } from './subscription.test-helper.ts'

const { db } = await testDatabase()
const { rest } = testServer(db)

/** A store with a failed attempt and one that waits for the customer. */
async function aStoreWithAttempts() {
  const store = await aStore(db, { clockAt: at(START) })
  const { subscriptionId } = await joined(store)
  const [failed, pending] = await attemptsOf(store, subscriptionId)
  await store.inStore(({ tx }) =>
    tx.run(sql`
      update billing_attempts set action_url = 'https://bank.example/3ds', action_required_at = '2026-03-31T14:00:05Z', action_reminders = 1
       where store_id = ${store.storeId} and id = ${pending!.id}`)
  )
  const key = await store.aKey(['read:billing'])
  const read = (id: string, as = key) => rest(`/billing-attempts/${id}`, as)
  return { store, subscriptionId, read, failed: publicId('ba', failed!.id), pending: publicId('ba', pending!.id) }
}

const meta = { total: 1, limit: 1, offset: 0, has_more: false }

test('a failed, a pending and a successful attempt by their ids: the whole bodies', async () => {
  const { store, subscriptionId, read, failed, pending } = await aStoreWithAttempts()
  const first = {
    id: failed,
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
    order: null,
    payment_method: { type: 'card', last_four: '4242', brand: 'visa' },
    action_required: null,
    created_at: '2026-02-28T15:00:00.000Z',
    completed_at: '2026-02-28T15:00:01.000Z'
  }
  const response = await read(failed)
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), { data: first, meta })
  assert.ok(Value.Check(Envelope(BillingAttemptBody), response.json()))

  const { data: waiting } = (await read(pending)).json()
  assert.deepEqual(
    [waiting.id, waiting.status, waiting.error, waiting.completed_at, waiting.action_required],
    [
      pending,
      'pending',
      null,
      null,
      { url: 'https://bank.example/3ds', since: '2026-03-31T14:00:05.000Z', reminders: 1 }
    ]
  )

  const order = await store.inStore(({ tx }) =>
    tx.one(
      row({ id: int, platformId: text, number: text }),
      sql`select id, platform_order_id as platform_id, number from orders where store_id = ${store.storeId}`
    )
  )
  await store.inStore(({ tx }) =>
    tx.run(sql`
      update billing_attempts
         set status = 'success', error_code = null, error_message = null, decline_code = null, retry_at = null,
             attempts_remaining = 0, amount_minor = 3132, requested_minor = 2995, recovered = true, charged_after_stop = true,
             order_id = ${order.id}
       where store_id = ${store.storeId} and status = 'failed'`)
  )
  assert.deepEqual((await read(failed)).json().data, {
    ...first,
    status: 'success',
    amount: 31.32,
    error: null,
    retry_scheduled: false,
    retry_date: null,
    attempts_remaining: 0,
    recovered: true,
    recovered_amount: 31.32,
    charged_after_stop: true,
    order: {
      id: publicId('ord', order.id),
      shopify_id: `gid://platform/Order/${order.platformId}`,
      order_number: order.number
    }
  })
})

test('an attempt of another store, one that does not exist and what is no id of one are not found', async () => {
  const own = await aStoreWithAttempts()
  const other = await aStoreWithAttempts()
  for (const id of [other.failed, 'ba_987654321', own.failed.replace('ba_', 'sub_'), 'nonsense']) {
    const response = await own.read(id)
    assert.equal(response.statusCode, 404, id)
    const { code, details } = response.json().error
    assert.deepEqual([code, details[0].field, details[0].code], ['not_found', 'attempt_id', 'not_found'], id)
  }
  assert.equal((await other.read(other.failed)).statusCode, 200)
})

test('it needs the scope read:billing', async () => {
  const { store, read, failed } = await aStoreWithAttempts()
  const others = await read(failed, await store.aKey(['write:billing', 'read:subscriptions', 'read:members']))
  assert.equal(others.statusCode, 403)
  assert.deepEqual(others.json().error, { code: 'forbidden', message: 'This key lacks the scope read:billing' })
  assert.equal((await read(failed, 'no-key')).statusCode, 401)
})
