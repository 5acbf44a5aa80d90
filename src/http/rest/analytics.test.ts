import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { AnalyticsBody } from '#resources'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { refusedFor, testServer } from '../server.test-helper.ts'
import { Envelope } from './envelope.ts'
import { at, joined, START } from './subscription.test-helper.ts'

const { db } = await testDatabase()
const { rest } = testServer(db)
const aClockedStore = (given = {}) => aStore(db, { clockAt: at(START), ...given })

test('the whole body: thirty days by default, today the last, the days before as zeros', async () => {
  const store = await aClockedStore()
  await joined(store)
  const response = await rest('/analytics/overview', await store.aKey(['read:analytics']))
  assert.equal(response.statusCode, 200)
  const { data, meta } = response.json()
  assert.ok(Value.Check(Envelope(AnalyticsBody), response.json()))
  assert.deepEqual(meta, { total: 1, limit: 1, offset: 0, has_more: false })
  const { series, previous, ...metrics } = data
  assert.deepEqual(metrics, {
    period: '30d',
    from: '2026-01-02',
    to: '2026-01-31',
    timezone: 'America/New_York',
    currency: 'USD',
    plan_id: null,
    members: { active: 1, new: 1, paused: 0, cancelled: 0 },
    churn_rate: null,
    mrr: 29,
    arr: 348,
    arpu: 29,
    ltv: null,
    revenue: 29,
    refunds: 0,
    billing: { success: 0, failed: 0, pending: 0, success_rate: null, recovered_amount: 0, at_risk_amount: 0 },
    store_credits: { issued: 0, redeemed: 0, expired: 0, outstanding: 0 },
    loyalty: { points_issued: 0, points_redeemed: 0, coupons_issued: 0 },
    churn: { offers_shown: 0, offers_accepted: 0, saved: 0, by_reason: [] }
  })
  assert.equal(series.length, 30)
  assert.deepEqual(series[0], { date: '2026-01-02', active: 0, new: 0, cancelled: 0, revenue: 0, mrr: 0 })
  assert.deepEqual(series[29], { date: '2026-01-31', active: 1, new: 1, cancelled: 0, revenue: 29, mrr: 29 })
  assert.deepEqual(
    [previous.from, previous.to, previous.mrr, previous.members.active, 'series' in previous],
    ['2025-12-03', '2026-01-01', 0, 0, false]
  )
})

test('the four periods and nothing else', async () => {
  const store = await aClockedStore()
  const key = await store.aKey()
  for (const [period, days] of [
    ['7d', 7],
    ['30d', 30],
    ['90d', 90],
    ['365d', 365]
  ] as const) {
    const { data } = (await rest(`/analytics/overview?period=${period}`, key)).json()
    assert.deepEqual([data.period, data.series.length], [period, days])
  }
  for (const period of ['', '1d', '30', '30D', '365d%20', '__proto__', '7d&period=30d']) {
    const response = await rest(`/analytics/overview?period=${period}`, key)
    assert.equal(response.statusCode, 400, period)
    const problem = period.includes('&') ? 'is given more than once' : 'must be 7d, 30d, 90d or 365d'
    assert.deepEqual(refusedFor(response, 'period'), {
      error: { code: 'invalid_request', message: `period ${problem}` }
    })
  }
  assert.equal((await rest('/analytics/overview?from=2026-01-01', key)).statusCode, 400)
})

test("a plan that is unknown, another store's or no id has zeros", async () => {
  const store = await aClockedStore()
  await joined(store)
  const key = await store.aKey()
  for (const plan of ['plan_999999', 'nonsense', 'mem_1', '0', 'plan_0', 'plan_-1']) {
    const response = await rest(`/analytics/overview?plan_id=${plan}`, key)
    assert.equal(response.statusCode, 200)
    const { data } = response.json()
    assert.deepEqual(
      [data.plan_id, data.members, data.mrr, data.revenue, data.arpu],
      [plan, { active: 0, new: 0, paused: 0, cancelled: 0 }, 0, 0, null],
      plan
    )
  }
})

test('it needs read:analytics, carries the budget, and sees its own store only', async () => {
  const store = await aClockedStore()
  await joined(store)
  const refused = await rest('/analytics/overview', await store.aKey(['read:members', 'write:analytics']))
  assert.equal(refused.statusCode, 403)
  assert.match(refused.json().error.message, /read:analytics/)
  const other = await aClockedStore({ timezone: 'Asia/Tokyo', currency: 'JPY' })
  const response = await rest('/analytics/overview', await other.aKey())
  const { data } = response.json()
  assert.deepEqual([data.members.active, data.currency, data.to], [0, 'JPY', '2026-02-01'])
  for (const header of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id']) {
    assert.ok(response.headers[header], header)
  }
})
