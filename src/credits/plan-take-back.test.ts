import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { inProportion } from '#kit/money'
import { planTakeBack, type ReversedOrder, type TakeBackType, type TakenBack, undoLast } from './plan-take-back.ts'

type Before = TakenBack & { type: TakeBackType }

/** What is asked for so far, all of it taken. */
const asked = (refund: number, dispute: number): Before[] => [
  { type: 'refund', taken: refund, shortfall: 0 },
  { type: 'dispute', taken: dispute, shortfall: 0 }
]
const plan = (refundedMinor: number, disputedMinor: number, before: Before[]) =>
  planTakeBack(1000, { wholeMinor: 6000, refundedMinor, disputedMinor }, before).map(({ type, asked, reason }) => [
    type,
    asked,
    reason
  ])

for (const [what, planned, expected] of [
  ['a refund asks for its share', plan(1500, 0, []), [['refund', 250, 'order refunded']]],
  ['what is asked for is not asked for again', plan(1500, 0, asked(250, 0)), []],
  [
    'a dispute asks for its own share beside a refund',
    plan(1500, 1500, asked(250, 0)),
    [['dispute', 250, 'order disputed']]
  ],
  [
    'a refund asks for its own share beside a dispute',
    plan(3000, 1500, asked(0, 250)),
    [['refund', 500, 'order refunded']]
  ],
  ['a dispute about the whole order leaves a refund nothing', plan(3000, 6000, asked(0, 1000)), []],
  [
    'a won dispute asks for nothing, and then refunds ask for their share',
    plan(3000, 0, asked(0, 1000)),
    [
      ['dispute', -1000, 'dispute won'],
      ['refund', 500, 'order refunded']
    ]
  ],
  ['a smaller dispute gives back', plan(0, 1500, asked(0, 500)), [['dispute', -250, 'less was disputed']]],
  [
    'a smaller refund gives back, not the dispute',
    plan(600, 1500, asked(250, 250)),
    [['refund', -150, 'less was refunded']]
  ],
  ['a share is not moved between the two as long as the sum is right', plan(0, 1500, asked(250, 0)), []]
] as const) {
  test(what, () => assert.deepEqual(planned, expected))
}

test('what could not be taken counts as asked for, whoever asked', () => {
  const short: Before[] = [{ type: 'refund', taken: 100, shortfall: 150 }]
  assert.deepEqual(plan(1500, 1500, short), [['dispute', 250, 'order disputed']])
  assert.deepEqual(plan(3000, 0, short), [['refund', 250, 'order refunded']])
})

test('after any changes what is asked for is the share of the order; what gives back comes first, and a repetition changes nothing', () => {
  const states = fc.array(fc.record({ refundedMinor: fc.nat(70), disputedMinor: fc.nat(70) }), { maxLength: 8 })
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 1, max: 60 }), states, (issued, wholeMinor, orders) => {
      const before: Before[] = asked(0, 0)
      for (const order of orders.map((state): ReversedOrder => ({ ...state, wholeMinor }))) {
        const steps = planTakeBack(issued, order, before)
        assert.ok(
          steps.every(
            (step, i) => step.asked !== 0 && (i === 0 || Math.sign(steps[i - 1]!.asked) <= Math.sign(step.asked))
          )
        )
        for (const { type, asked } of steps) before.find((one) => one.type === type)!.taken += asked
        const [refund, dispute] = before.map(({ taken }) => taken) as [number, number]
        const share = inProportion(issued, order.refundedMinor + order.disputedMinor, wholeMinor)
        assert.equal(refund + dispute, share)
        assert.ok(refund >= 0 && dispute >= 0)
        if (order.disputedMinor === 0) assert.equal(dispute, 0)
        assert.deepEqual(planTakeBack(issued, order, before), [])
      }
    })
  )
})

test('the last take-back is undone first, and of each what could not be taken', () => {
  const before = [
    { taken: 20, shortfall: 30 },
    { taken: 50, shortfall: 10 }
  ]
  const undone = (less: number) =>
    undoLast(before, less).map(({ of, taken, shortfall }) => [before.indexOf(of), taken, shortfall])
  assert.deepEqual(undone(0), [])
  assert.deepEqual(undone(4), [[1, 0, 4]])
  assert.deepEqual(undone(60), [[1, 50, 10]])
  assert.deepEqual(undone(95), [
    [1, 50, 10],
    [0, 5, 30]
  ])
})
