import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from '#plans'
import type { PlatformContractLine } from '#platform'
import { aContract } from '../../test/contract-builder.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import { isSameDate, termsOf, trialEndOf } from './read-contract-terms.ts'

const aPlan = (id: number, name: string) =>
  ({
    id,
    name,
    productIds: [`${id}01`],
    platformSellingPlanId: `${id}03`,
    versions: [
      { version: 1, sellingPlanId: `${id}02`, sinceMs: 0 },
      { version: 2, sellingPlanId: `${id}03`, sinceMs: Date.parse('2026-01-01T00:00:00Z') },
      { version: 3, sellingPlanId: `${id}03`, sinceMs: Date.parse('2026-03-01T00:00:00Z') }
    ]
  }) as Plan
const PLANS = [aPlan(1, 'VIP'), aPlan(2, 'Elite')]
const contract = aContract(Temporal.Instant.from('2026-01-31T15:00:00Z'))
const line = (reported: Partial<PlatformContractLine>) => ({ ...contract.lines[0]!, ...reported })
const VIP = { planId: 1, name: 'VIP' }

test('the plan is that of a line; it stays as long as a line is sold under it or of its product, wherever that line is', () => {
  for (const [before, lines, after] of [
    [VIP, [line({ sellingPlanId: '103', title: 'Renamed' })], VIP],
    [VIP, [line({ sellingPlanId: '102', title: 'Of a version before' })], VIP],
    [VIP, [line({ title: 'Mug' }), line({ sellingPlanId: '203' })], { planId: 2, name: 'Elite' }],
    [VIP, [line({ sellingPlanId: '203' }), line({ sellingPlanId: '103' })], VIP],
    [VIP, [line({ sellingPlanId: null, productId: '101' })], VIP],
    [VIP, [line({ sellingPlanId: '999', productId: '101' })], VIP],
    [VIP, [line({ sellingPlanId: null, productId: '101', title: 'Renamed' })], VIP],
    [VIP, [line({ sellingPlanId: '999', productId: '777', title: 'Coffee' })], { planId: null, name: 'Coffee' }],
    [VIP, [], VIP],
    [
      { planId: null, name: 'Coffee' },
      [line({ title: 'Tea' }), line({ title: 'Coffee' })],
      { planId: null, name: 'Coffee' }
    ],
    [{ planId: null, name: 'Coffee' }, [line({ title: 'Tea' })], { planId: null, name: 'Tea' }],
    [{ planId: null, name: 'Coffee' }, [line({ sellingPlanId: '103' })], VIP]
  ] as const) {
    const { planId, name } = termsOf(before as Subscription, { ...contract, lines: [...lines] }, PLANS)
    assert.deepEqual({ planId, name }, after, JSON.stringify(lines))
  }
})

test('the version is the one that was on sale under the selling plan; it stays until somebody changes it here', () => {
  const versionOf = (planVersion: number | null, sellingPlanId: string, updatedAt = contract.updatedAt) => {
    const before = { planId: planVersion && 1, planVersion, name: 'VIP' } as Subscription
    return termsOf(
      before,
      { ...contract, updatedAt, lines: [line({ sellingPlanId, title: 'Mug', productId: '777' })] },
      PLANS
    ).planVersion
  }
  const later = Temporal.Instant.from('2026-04-01T00:00:00Z')
  assert.equal(versionOf(null, '102'), 1)
  assert.equal(versionOf(null, '103'), 2)
  assert.equal(versionOf(null, '103', later), 3)
  assert.equal(versionOf(2, '103', later), 2)
  assert.equal(versionOf(3, '102'), 3)
  assert.equal(versionOf(2, '999'), null)
})

test('the price is that of the lines and of their delivery', () => {
  const { priceMinor, interval, intervalCount } = termsOf(
    VIP as Subscription,
    { ...contract, priceMinor: 2900, deliveryPriceMinor: 450, interval: 'week', intervalCount: 2 },
    PLANS
  )
  assert.deepEqual([priceMinor, interval, intervalCount], [3350, 'week', 2])
})

test('a trial ends after its days in the shop, or with the first billing date', () => {
  const at = (text: string) => Temporal.Instant.from(text)
  const ends = (plan: Partial<Plan>, now: string, reported: Partial<typeof contract> = {}) =>
    trialEndOf(plan as Plan, { ...contract, ...reported }, at(now), 'America/New_York')?.toString() ?? null
  const next = (nextBillingDate: string) => ({ nextBillingDate: at(nextBillingDate) })
  const days = { trialType: 'days', trialDays: 40 } as const
  const first = { trialType: 'next_billing_date', trialDays: 0 } as const

  assert.equal(ends({ trialType: null }, '2026-01-31T15:00:00Z'), null)
  // The clocks of the shop go forward in between.
  assert.equal(ends(days, '2026-01-31T15:00:00Z'), '2026-03-12T14:00:00Z')
  assert.equal(ends(first, '2026-01-31T15:00:00Z', next('2026-02-28T15:00:00Z')), '2026-02-28T15:00:00Z')
  assert.equal(ends(first, '2026-01-31T15:00:00Z', next('2026-02-20T08:00:00Z')), '2026-02-20T08:00:00Z')
  assert.equal(ends(first, '2026-01-31T15:00:00Z', { nextBillingDate: null }), '2026-02-28T15:00:00Z')
  assert.equal(ends(first, '2026-02-28T15:00:00Z', next('2026-03-31T14:00:00Z')), '2026-02-28T15:00:00Z')
  // Met long after, the platform's date is of a later cycle.
  assert.equal(ends(first, '2026-06-10T00:00:00Z', next('2026-06-30T15:00:00Z')), '2026-02-28T15:00:00Z')
})

test('the unit price is that of the lines of the plan, or of the only line; of different prices it is none', () => {
  const at = (lastingPriceMinor: number, sellingPlanId: string | null = '103') =>
    line({ lastingPriceMinor, sellingPlanId })
  for (const [lines, price] of [
    [[at(2900)], 2900],
    [[line({ priceMinor: 150, lastingPriceMinor: 2900, quantity: 3, sellingPlanId: '102' })], 2900],
    [[at(2900), at(900, '999'), at(500, null)], 2900],
    [[at(2900), at(2900, '102')], 2900],
    [[at(2900), at(2500)], null],
    [[at(2900, null)], 2900],
    [[at(2900, null), at(2900, null)], null],
    [[], null]
  ] as const) {
    const before = { planId: 1, planVersion: 1, name: 'VIP' } as Subscription
    const { unitPriceMinor } = termsOf(before, { ...contract, lines: [...lines] }, PLANS)
    assert.equal(unitPriceMinor, price, JSON.stringify(lines))
  }
  const elite = { planId: 2, planVersion: 1, name: 'Elite' } as Subscription
  const { unitPriceMinor } = termsOf(elite, { ...contract, lines: [at(2900), at(4900, '203')] }, PLANS)
  assert.equal(unitPriceMinor, 4900, 'of its own plan')
})

test('dates are the same to the second, and none is the same as none', () => {
  const at = (text: string) => Temporal.Instant.from(text)
  const date = at('2026-02-28T15:00:00Z')
  assert.equal(isSameDate(null, null), true)
  assert.deepEqual([isSameDate(date, null), isSameDate(null, date)], [false, false])
  assert.equal(isSameDate(date, at('2026-02-28T15:00:00.999Z')), true)
  assert.equal(isSameDate(date, at('2026-02-28T15:00:01Z')), false)
})
