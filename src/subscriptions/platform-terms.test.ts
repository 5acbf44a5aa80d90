import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from '#plans'
import type { PlatformContractLine } from '#platform'
import { aContract } from '../../test/contract-builder.ts'
import { termsOf } from './platform-terms.ts'
import type { Subscription } from './subscription.ts'

const aPlan = (id: number, name: string) =>
  ({ id, name, platformProductId: `${id}01`, platformSellingPlanId: `${id}03` }) as Plan
const PLANS = [aPlan(1, 'VIP'), aPlan(2, 'Elite')]
const contract = aContract(Temporal.Instant.from('2026-01-31T15:00:00Z'))
const line = (told: Partial<PlatformContractLine>) => ({ ...contract.lines[0]!, ...told })
const VIP = { planId: 1, name: 'VIP' }

test('the plan is that of a line; it stays as long as a line is sold under it or of its product, wherever that line is', () => {
  for (const [before, lines, after] of [
    [VIP, [line({ sellingPlanId: '103', title: 'Renamed' })], VIP],
    [VIP, [line({ title: 'Mug' }), line({ sellingPlanId: '203' })], { planId: 2, name: 'Elite' }],
    [VIP, [line({ sellingPlanId: '203' }), line({ sellingPlanId: '103' })], VIP],
    [VIP, [line({ sellingPlanId: null, productId: '101' })], VIP],
    [VIP, [line({ sellingPlanId: '999', productId: '101' })], VIP],
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

test('the price is that of the lines and of their delivery', () => {
  const { priceMinor, interval, intervalCount } = termsOf(
    VIP as Subscription,
    { ...contract, priceMinor: 2900, deliveryPriceMinor: 450, interval: 'week', intervalCount: 2 },
    PLANS
  )
  assert.deepEqual([priceMinor, interval, intervalCount], [3350, 'week', 2])
})
