import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicId } from '#kit/ids'
import { reactivationGraceSettings } from '#lifecycle/settings'
import { updateSettings } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { at, joined, START } from '../rest/subscription.test-helper.ts'
import { testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { admin } = testServer(db)

async function aMember() {
  const store = await aStore(db, { clockAt: at(START) })
  await store.inStore((ctx) => updateSettings(ctx, reactivationGraceSettings, 24))
  const id = publicId('sub', (await joined(store)).subscriptionId)
  const path = `/stores/${store.domain}/subscriptions/${id}`
  return {
    id,
    store,
    get: (rest = '') => admin('GET', `${path}${rest}`),
    post: (rest: string, body: object = {}) => admin('POST', `${path}${rest}`, body)
  }
}

test('every action of the lifecycle returns the subscription after it, and is in the history', async () => {
  const { id, get, post } = await aMember()
  const moves: [string, object, Record<string, unknown>][] = [
    ['pause', { duration: 10 }, { status: 'paused', resumes_at: '2026-02-10T15:00:00.000Z' }],
    ['resume', {}, { status: 'active', next_billing_date: '2026-02-28T15:00:00.000Z' }],
    ['skip', {}, { next_billing_date: '2026-03-31T14:00:00.000Z' }],
    ['change', { next_billing_date: '2026-02-10' }, { next_billing_date: '2026-02-10T05:00:00.000Z' }],
    ['cancel', { reason: 'moving', comment: 'Abroad' }, { status: 'cancelled', cancel_reason: 'moving' }],
    ['reactivate', {}, { status: 'active', cancelled_at: null, next_billing_date: '2026-02-10T05:00:00.000Z' }]
  ]
  const flat = ({ duration }: { duration?: number }): Record<string, string> =>
    duration === undefined ? {} : { duration: String(duration) }
  for (const [move, body, expected] of moves) {
    const preview =
      move === 'change' ? null : (await get(`/preview?${new URLSearchParams({ ...flat(body), action: move })}`)).json()
    const response = await post(`/${move}`, body)
    assert.equal(response.statusCode, 200, response.body)
    assert.partialDeepStrictEqual(response.json(), { id, ...expected })
    if (preview !== null) {
      assert.equal(preview.refusal, null)
      const { status, next_billing_date, resumes_at, reactivatable_until } = response.json()
      assert.partialDeepStrictEqual(preview.after, { status, next_billing_date, resumes_at, reactivatable_until })
    }
    assert.deepEqual((await get()).json(), response.json())
  }
  const { data, total } = (await get('/activity?limit=7')).json()
  assert.equal(total, 8)
  assert.deepEqual(
    data.map(({ kind, actor, text }: Record<string, string>) => [kind, actor, text]),
    [
      ['reactivated', 'operator', 'Reactivated; next charge on 2026-02-10'],
      ['cancelled', 'operator', 'Cancelled: moving'],
      ['date_changed', 'operator', 'Next charge moved to 2026-02-10'],
      ['skipped', 'operator', 'Cycle 2 skipped; next charge on 2026-03-31'],
      ['resumed', 'operator', 'Resumed; next charge on 2026-02-28'],
      ['paused', 'operator', 'Paused until 2026-02-10'],
      ['activated', 'platform', 'Active: its first payment is done']
    ]
  )
})

test('a change waits to be seen by the platform, and is shown while it does', async () => {
  const { get, post } = await aMember()
  assert.equal((await post('/change', { price: '31.50', interval: 'week' })).statusCode, 200)
  assert.deepEqual((await get()).json().pending_change, {
    plan_id: null,
    price: 31.5,
    interval: 'week',
    interval_count: 1,
    payment_method_id: null,
    requested_at: '2026-01-31T15:00:00.000Z'
  })
  for (const [body, says] of [
    [{}, /^The body must hold at least one of interval, interval_count, next_billing_date, /],
    [{ price: '-1' }, /^price must /],
    [{ price: '1.999' }, /^price must have at most 2 decimals in USD$/],
    [{ plan_id: 'nonsense' }, /^plan_id must be the id of a plan of this store$/],
    [{ plan_id: 'plan_999' }, /^plan_id must be the id of a plan of this store$/],
    [{ payment_method_id: '12' }, /^payment_method_id must be the global id/]
  ] as const) {
    const refused = await post('/change', body)
    assert.equal(refused.statusCode, 400)
    assert.match(refused.json().error.message, says)
    if ('plan_id' in body) assert.equal(refused.json().error.details[0].code, 'not_found')
  }
})

test('notes are kept, of at most 1024 characters', async () => {
  const { get, post } = await aMember()
  const noted = await post('/notes', { note: 'Called, is happy' })
  assert.equal(noted.statusCode, 201)
  assert.partialDeepStrictEqual(noted.json(), { kind: 'note', actor: 'operator', notes: 'Called, is happy' })
  assert.deepEqual((await get('/activity')).json().data[0], noted.json())
  assert.equal((await post('/notes', { note: 'x'.repeat(1025) })).statusCode, 400)
})

test('what is no subscription of the store is unknown on every route, and a move that is not possible says why', async () => {
  const [mine, theirs] = [await aMember(), await aMember()]
  for (const id of [theirs.id, 'sub_999999', 'nonsense']) {
    const path = `/stores/${mine.store.domain}/subscriptions/${id}`
    for (const rest of ['', '/activity']) assert.equal((await admin('GET', path + rest)).statusCode, 404)
    for (const [move, body] of [
      ['notes', { note: 'x' }],
      ['pause', {}],
      ['resume', {}],
      ['cancel', {}],
      ['skip', {}],
      ['reactivate', {}],
      ['change', { price: 1 }]
    ] as const) {
      assert.equal((await admin('POST', `${path}/${move}`, body)).statusCode, 404, move)
    }
  }
  const refused = await mine.post('/resume')
  assert.deepEqual(
    [refused.statusCode, refused.json().error],
    [409, { code: 'conflict', message: `Subscription ${mine.id} is already active.` }]
  )
})

test('a reason of blanks is no reason, as in the direct API', async () => {
  const { post } = await aMember()
  for (const reason of ['', '  ']) {
    const response = await post('/cancel', { reason })
    assert.deepEqual(
      [response.statusCode, response.json().error.message],
      [400, 'reason must be a text of 1 to 200 characters that is not blank']
    )
  }
  assert.partialDeepStrictEqual((await post('/cancel', { reason: ' moving ' })).json(), { cancel_reason: 'moving' })
})

test('a subscription is not created with a price below zero, and the platform is not called', async () => {
  const { store } = await aMember()
  const requested = { customer: 'ada@example.com', plan_id: 'plan_1', next_billing_date: '2026-02-10' }
  for (const price of [-0.01, '-5']) {
    const response = await admin('POST', `/stores/${store.domain}/subscriptions`, { ...requested, price })
    assert.equal(response.statusCode, 400)
    assert.equal(response.json().error.message, 'price must be an amount of 0 or more')
  }
})
