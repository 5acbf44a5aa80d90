// What of an order counts: one order each, beside what must not count in it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertCustomers } from '#members'
import { recordOrders } from '#orders'
import type { PlatformOrder } from '#platform'
import { findPoints } from '#points'
import { anOrder, orderDetails } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aPlan } from '../../../test/plan-builder.ts'
import { aStore } from '../../../test/store-builder.ts'
import { createRule } from '../rules/change-rules.ts'
import { type EarningOrder, earnForOrders } from './earn-for-orders.ts'

const { db } = await testDatabase()
const AT = Temporal.Instant.from('2026-01-31T15:00:00Z')
/** The product of the first plan. */
const FEE = '101'

type OrderDetails = NonNullable<PlatformOrder['details']>
type Given = {
  order?: Partial<PlatformOrder>
  details?: Partial<OrderDetails>
  known?: Partial<EarningOrder>
  rules?: Record<string, unknown>
  /** A goal of spending instead, which gives points. */
  goal?: { amount: number; points: number }
}

const line = (productId: string, priceMinor: number, quantity = 1, discountMinor = 0) => ({
  ...{ id: `${productId}1`, productId, variantId: null, title: 'Coffee', quantity, priceMinor, discountMinor },
  ...{ sellingPlanId: null, contractId: null }
})

/** The points of one order of 40.00 by one point for each dollar, unless something else is given. */
async function pointsOf({ order, details, known, rules = {}, goal }: Given): Promise<number> {
  const store = await aStore(db, { clockAt: AT })
  const reported = [{ id: '1', email: null, firstName: null, lastName: null }]
  await aPlan(store, { name: 'VIP' })
  return store.inStore(async (ctx) => {
    const { id: memberId } = (await upsertCustomers(ctx, reported)).get('1')!
    const common = { name: 'Points', description: '', isEnabled: true, startsOn: null, endsOn: null }
    await (goal
      ? createRule(ctx, 'goal_spend', {
          ...{ ...common, rules: { goal_amount: goal.amount } },
          rewardRules: { reward_type: 'points', amount: goal.points }
        })
      : createRule(ctx, 'points_for_purchases', { ...common, rules, rewardRules: { reward_type: 'points' } }))
    const lines = details?.lines ?? [line('900', 2000, 2)]
    const subtotalMinor = lines.reduce((sum, one) => sum + one.priceMinor * one.quantity - one.discountMinor, 0)
    const placed = anOrder(AT, {
      ...{ customerId: '1', totalMinor: subtotalMinor },
      ...order,
      details: orderDetails({ subtotalMinor, ...details, lines })
    })
    const orderId = (await recordOrders(ctx, [placed])).get(placed.id)!.id
    const takenBack = { minor: 0, wholeMinor: placed.totalMinor }
    await earnForOrders(ctx, [{ orderId, refundedMinor: 0, takenBack, creditMinor: 0, renewedPlans: [], ...known }])
    return (await findPoints(ctx, [memberId])).get(memberId)?.balance ?? 0
  })
}

const CASES: [what: string, given: Given, points: number][] = [
  ['the subtotal', {}, 40],
  ['the subtotal after discounts', { details: { lines: [line('900', 2000, 2, 500)] } }, 35],
  ['without what store credit paid', { known: { creditMinor: 1000 } }, 30],
  ['not the fee of a membership', { details: { lines: [line('900', 2000), line(FEE, 2900)] } }, 20],
  [
    'of chosen products without their share of the credit',
    {
      details: { lines: [line('900', 3000), line('901', 1000)] },
      known: { creditMinor: 1000 },
      rules: { product_ids: ['900'] }
    },
    22
  ],
  // 44.00 with 4.00 of tax inside and 11.00 of shipping with 1.00 of it: the goods cost 40.00 without tax.
  [
    'without the tax that prices include',
    {
      order: { totalMinor: 5500, taxMinor: 500 },
      details: { subtotalMinor: 4400, shippingMinor: 1100, lines: [line('900', 4400)], isTaxIncluded: true }
    },
    40
  ],
  // 30.00 of a tip or of duties.
  [
    'without the tax that prices include where the total has more than prices',
    {
      order: { totalMinor: 7400, taxMinor: 400 },
      details: { subtotalMinor: 4400, lines: [line('900', 4400)], isTaxIncluded: true }
    },
    40
  ],
  [
    'without the tax that prices include where only the total tells',
    {
      order: { totalMinor: 5500, taxMinor: 500 },
      details: { subtotalMinor: 4400, shippingMinor: 1100, lines: [line('900', 4400)], isTaxIncluded: null }
    },
    40
  ],
  ['what leads to a goal', { goal: { amount: 40, points: 7 } }, 7],
  [
    'nothing that leads to a goal where the tax that prices include is more than they are',
    {
      order: { totalMinor: 900, taxMinor: 1000 },
      details: { subtotalMinor: 900, lines: [line('900', 900)], isTaxIncluded: true },
      goal: { amount: 1, points: 7 }
    },
    0
  ],
  ['the whole subtotal where tax comes on top', { order: { totalMinor: 4400, taxMinor: 400 } }, 40],
  [
    // As with a discount that no line has.
    'the whole subtotal where tax comes on top and the total is less',
    { order: { totalMinor: 4000, taxMinor: 400 } },
    40
  ],
  [
    'no gift card that is bought',
    { details: { lines: [line('900', 2000), { ...line('901', 2500), isGiftCard: true }] } },
    20
  ],
  [
    'nothing of a piece that an edit has removed',
    {
      details: { currentTotalMinor: 4000, lines: [line('900', 3000), { ...line('901', 1000, 3), currentQuantity: 1 }] },
      known: { takenBack: { minor: 0, wholeMinor: 4000 } }
    },
    40
  ],
  [
    'a piece that was refunded, of which the refund takes its share',
    {
      details: { currentTotalMinor: 4000, lines: [line('900', 3000), { ...line('901', 1000, 3), currentQuantity: 1 }] },
      known: { refundedMinor: 2000, takenBack: { minor: 2000, wholeMinor: 6000 } }
    },
    60
  ],
  ['nothing in another currency', { order: { currency: 'EUR' } }, 0],
  ['nothing of an order that is not paid', { order: { financialStatus: 'pending' } }, 0],
  ['nothing of an order that is voided', { order: { financialStatus: 'voided' } }, 0],
  ['nothing of an order that is cancelled', { order: { cancelledAt: AT } }, 0],
  ['the order that reaches the least amount', { rules: { minimum_order: 40 } }, 40],
  ['not the order below the least amount', { rules: { minimum_order: 40.01 } }, 0]
]

for (const [what, given, points] of CASES) {
  test(`what counts of an order: ${what}`, async () => {
    assert.equal(await pointsOf(given), points)
  })
}
