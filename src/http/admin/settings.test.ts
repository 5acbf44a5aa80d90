import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { admin } = testServer(db)

const USUAL = {
  dunning: {
    retry_after_days: [2, 5, 7, 7],
    on_failure: 'cancel',
    hard_decline_wait_days: 21,
    inventory: { retry_after_days: [1, 1, 2, 3, 7], on_failure: 'skip' }
  },
  billing: { catch_up: 'latest' },
  action_required: { remind_after_hours: [24, 72] },
  reactivation_grace_hours: 0,
  brand: { attribute: 'brand', default: '' },
  credit_function: { title: 'Store credit' },
  credit_on_cancellation: 'keep',
  order_gift: { enabled: 'off' },
  disputes: { on_lost: 'alert' }
}

test('settings begin as those of the house, and a change leaves the rest as it is', async () => {
  const store = await aStore(db)
  const path = `/stores/${store.domain}/settings`
  assert.deepEqual((await admin('GET', path)).json(), USUAL)
  const dunning = { retry_after_days: [3], hard_decline_wait_days: null, inventory: { on_failure: 'pause' } }
  const changed = await admin('PATCH', path, {
    dunning,
    billing: { catch_up: 'all' },
    action_required: { remind_after_hours: [1, 168] },
    reactivation_grace_hours: 24,
    brand: { default: 'House' },
    credit_function: { title: 'Wallet' },
    credit_on_cancellation: 'forfeit',
    order_gift: { enabled: 'on' },
    disputes: { on_lost: 'cancel' }
  })
  assert.equal(changed.statusCode, 200)
  const expected = {
    dunning: {
      ...USUAL.dunning,
      retry_after_days: [3],
      hard_decline_wait_days: null,
      inventory: { ...USUAL.dunning.inventory, on_failure: 'pause' }
    },
    billing: { catch_up: 'all' },
    action_required: { remind_after_hours: [1, 168] },
    reactivation_grace_hours: 24,
    brand: { attribute: 'brand', default: 'House' },
    credit_function: { title: 'Wallet' },
    credit_on_cancellation: 'forfeit',
    order_gift: { enabled: 'on' },
    disputes: { on_lost: 'cancel' }
  }
  assert.deepEqual(changed.json(), expected)
  assert.deepEqual((await admin('PATCH', path, {})).json(), expected)
  assert.deepEqual((await admin('GET', path)).json(), expected)
})

test('a refusal names the field and what it takes', async () => {
  const store = await aStore(db)
  const many = Array(11).fill(1)
  for (const [body, field, accepts] of [
    [{ dunning: { retry_after_days: [0] } }, 'dunning.retry_after_days', /1 to 60/],
    [{ dunning: { retry_after_days: [1.5] } }, 'dunning.retry_after_days', /1 to 60/],
    [{ dunning: { retry_after_days: many } }, 'dunning.retry_after_days', /at most 10/],
    [{ dunning: { retry_after_days: 3 } }, 'dunning.retry_after_days', /at most 10/],
    [{ dunning: { on_failure: 'skip' } }, 'dunning.on_failure', /cancel, pause or fail/],
    [{ dunning: { on_failure: null } }, 'dunning.on_failure', /cancel, pause or fail/],
    [{ dunning: { hard_decline_wait_days: 0 } }, 'dunning.hard_decline_wait_days', /1 to 365, or null/],
    [{ dunning: { hard_decline_wait_days: 'long' } }, 'dunning.hard_decline_wait_days', /1 to 365, or null/],
    [{ dunning: { inventory: { on_failure: 'wait' } } }, 'dunning.inventory.on_failure', /skip, pause, cancel or fail/],
    [{ dunning: { inventory: { retry_after_days: [61] } } }, 'dunning.inventory.retry_after_days', /1 to 60/],
    [{ billing: { catch_up: 'none' } }, 'billing.catch_up', /latest or all/],
    [
      { action_required: { remind_after_hours: [24, 24] } },
      'action_required.remind_after_hours',
      /above the one before/
    ],
    [{ action_required: { remind_after_hours: [169] } }, 'action_required.remind_after_hours', /1 to 168/],
    [
      { action_required: { remind_after_hours: [1, 2, 3, 4, 5, 6] } },
      'action_required.remind_after_hours',
      /at most 5/
    ],
    [{ reactivation_grace_hours: 721 }, 'reactivation_grace_hours', /0 to 720/],
    [{ credit_function: { title: '' } }, 'credit_function.title', /a text of 1 to 255 characters/],
    [{ brand: { attribute: '' } }, 'brand.attribute', /a text of 1 to 255 characters/],
    [{ brand: { default: 'x'.repeat(256) } }, 'brand.default', /a text of 0 to 255 characters/],
    [{ brand: { default: 3 } }, 'brand.default', /a text of 0 to 255 characters/],
    [{ dunning: { retries: 3 } }, 'dunning.retries', /./],
    [{ grace: 3 }, 'grace', /./]
  ] as const) {
    const refused = await admin('PATCH', `/stores/${store.domain}/settings`, body)
    const { message } = refused.json().error
    assert.equal(refused.statusCode, 400, JSON.stringify(body))
    assert.ok(message.includes(field), `${message} names ${field}`)
    assert.match(message, accepts)
  }
  assert.deepEqual((await admin('GET', `/stores/${store.domain}/settings`)).json(), USUAL)
})
