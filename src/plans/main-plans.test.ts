import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideMainPlans, mainCadence, mainPlans } from './main-plans.ts'
import type { Plan } from './plan.ts'

const plan = (id: number, type: Plan['type'], more: Partial<Plan> = {}) =>
  ({ id, type, status: 'enabled', interval: 'month', intervalCount: 1, ...more }) as Plan
const PLANS = [
  plan(1, 'vip', { status: 'disabled' }),
  plan(2, 'product'),
  plan(3, 'vip'),
  plan(4, 'vip'),
  plan(5, 'elite'),
  plan(6, 'elite')
]
const NONE = { vip: null, elite: null }

/** The main VIP plan and the note about it. */
function mainVip(plans: Plan[], vip: string | null) {
  const { plan: found, note } = decideMainPlans(plans, { ...NONE, vip }).vip
  return [found?.id ?? null, note]
}

test('the perks of a tier are those of its oldest enabled plan', () => {
  assert.deepEqual(mainPlans(PLANS), { vip: PLANS[2], elite: PLANS[4] })
  assert.deepEqual(mainPlans([plan(1, 'vip', { status: 'disabled' }), plan(2, 'product')]), { vip: null, elite: null })
})

test('the plan that was chosen for a type counts instead, and the other type keeps its own', () => {
  assert.deepEqual(mainPlans(PLANS, { ...NONE, vip: 'plan_4' }), { vip: PLANS[3], elite: PLANS[4] })
  assert.deepEqual(mainPlans(PLANS, { ...NONE, elite: 'plan_6' }), { vip: PLANS[2], elite: PLANS[5] })
  assert.deepEqual(mainVip(PLANS, 'plan_4'), [4, null])
})

test('a chosen plan that is disabled, gone, of another type or bills otherwise gives way to the oldest enabled one', () => {
  const instead = 'so the oldest enabled plan that can be the main one counts'
  assert.deepEqual(mainVip(PLANS, 'plan_1'), [3, `plan_1 is disabled, ${instead}`])
  assert.deepEqual(mainVip(PLANS, 'plan_9'), [3, `plan_9 does not exist, ${instead}`])
  assert.deepEqual(mainVip(PLANS, 'plan_5'), [3, `plan_5 is of type elite, ${instead}`])
  const tenDays = plan(7, 'vip', { interval: 'day', intervalCount: 10 })
  assert.deepEqual(mainVip([...PLANS, tenDays], 'plan_7'), [3, `plan_7 bills every 10 days, ${instead}`])
  const none = 'so there is no main plan'
  assert.deepEqual(mainVip([PLANS[0]!], 'plan_1'), [null, `plan_1 is disabled, ${none}`])
})

test('without a choice, the oldest enabled plan that bills as a main plan can counts; an older one is named', () => {
  const daily = plan(1, 'vip', { interval: 'day', intervalCount: 1 })
  assert.deepEqual(mainVip([daily, plan(2, 'vip')], null), [
    2,
    'plan_1 bills every day, so the oldest enabled plan that can be the main one counts'
  ])
  assert.deepEqual(mainVip([daily], null), [null, 'plan_1 bills every day, so there is no main plan'])
  assert.deepEqual(mainVip([plan(1, 'vip'), daily], null), [1, null])
  assert.deepEqual(mainVip([plan(1, 'elite')], null), [null, null])
})

for (const [interval, intervalCount, cadence] of [
  ['week', 1, { name: 'week', count: 1 }],
  ['week', 28, { name: 'week', count: 28 }],
  ['week', 29, null],
  ['month', 1, { name: 'month', count: 1 }],
  ['month', 28, { name: 'month', count: 28 }],
  ['month', 29, null],
  ['month', 0, null],
  ['year', 1, { name: 'month', count: 12 }],
  ['year', 2, { name: 'month', count: 24 }],
  ['year', 3, null],
  ['day', 7, { name: 'week', count: 1 }],
  ['day', 28, { name: 'week', count: 4 }],
  ['day', 1, null],
  ['day', 6, null],
  ['day', 10, null]
] as const) {
  test(`a main plan ${cadence ? 'may' : 'may not'} bill every ${intervalCount} ${interval}s`, () => {
    assert.deepEqual(mainCadence({ interval, intervalCount }), cadence)
  })
}
