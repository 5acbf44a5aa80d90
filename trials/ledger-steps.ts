import fc from 'fast-check'

/** What may happen in the life of two customers with store credit. */
export type Step =
  | { kind: 'add'; who: 0 | 1; minor: number; days: number | null }
  | { kind: 'deduct'; who: 0 | 1; minor: number }
  | { kind: 'repeat'; nth: number }
  | { kind: 'wait'; days: number; expire: boolean }
  | { kind: 'transfer'; from: 0 | 1 }
  | { kind: 'points'; who: 0 | 1; balance: number; repeats: number | null }
  | { kind: 'reserve'; who: 0 | 1; minor: number; days: number }
  | { kind: 'capture'; nth: number; percent: number }
  | { kind: 'release'; nth: number }
  | { kind: 'redeem'; who: 0 | 1; minor: number }
  | { kind: 'restore'; nth: number; minor: number | null }
  | { kind: 'issue'; who: 0 | 1; minor: number; days: number | null }
  | { kind: 'reverse'; who: 0 | 1; type: 'refund' | 'dispute'; tenths: number }

const maybe = (numbers: fc.Arbitrary<number>): fc.Arbitrary<number | null> => fc.option(numbers)

type Weighted = fc.WeightedArbitrary<Step>
const kinds = (who: fc.Arbitrary<0 | 1>, mostReserved: number) =>
  ({
    add: fc.record({
      kind: fc.constant('add' as const),
      who,
      minor: fc.integer({ min: 1, max: 500 }),
      days: maybe(fc.integer({ min: 1, max: 9 }))
    }),
    deduct: fc.record({ kind: fc.constant('deduct' as const), who, minor: fc.integer({ min: 1, max: 700 }) }),
    repeat: fc.record({ kind: fc.constant('repeat' as const), nth: fc.nat(30) }),
    wait: fc.record({
      kind: fc.constant('wait' as const),
      days: fc.integer({ min: 1, max: 5 }),
      expire: fc.boolean()
    }),
    transfer: fc.record({ kind: fc.constant('transfer' as const), from: who }),
    reserve: fc.record({
      kind: fc.constant('reserve' as const),
      who,
      minor: fc.integer({ min: 1, max: mostReserved }),
      days: fc.integer({ min: 1, max: 6 })
    }),
    capture: fc.record({
      kind: fc.constant('capture' as const),
      nth: fc.nat(5),
      percent: fc.integer({ min: 1, max: 110 })
    }),
    release: fc.record({ kind: fc.constant('release' as const), nth: fc.nat(5) }),
    redeem: fc.record({ kind: fc.constant('redeem' as const), who, minor: fc.integer({ min: 1, max: 500 }) }),
    restore: fc.record({
      kind: fc.constant('restore' as const),
      nth: fc.nat(5),
      minor: maybe(fc.integer({ min: 1, max: 300 }))
    }),
    issue: fc.record({
      kind: fc.constant('issue' as const),
      who,
      minor: fc.integer({ min: 1, max: 500 }),
      days: maybe(fc.integer({ min: 1, max: 9 }))
    }),
    reverse: fc.record({
      kind: fc.constant('reverse' as const),
      who,
      type: fc.constantFrom<'refund' | 'dispute'>('refund', 'dispute'),
      tenths: fc.integer({ min: 0, max: 10 })
    }),
    points: fc.record({
      kind: fc.constant('points' as const),
      who,
      balance: fc.nat(50),
      repeats: maybe(fc.nat(5))
    })
  }) satisfies Record<Step['kind'], fc.Arbitrary<Step>>

/** Steps of these kinds, some more often than others. */
function stepsOf(
  who: fc.Arbitrary<0 | 1>,
  weights: Partial<Record<Step['kind'], number>>,
  mostReserved = 500
): fc.Arbitrary<Step> {
  const all: Record<string, fc.Arbitrary<Step>> = kinds(who, mostReserved)
  return fc.oneof(...Object.entries(weights).map(([kind, weight]): Weighted => ({ weight, arbitrary: all[kind]! })))
}

/** Steps of one call, as for requests at the same time. */
const batchesOf = (step: fc.Arbitrary<Step>) =>
  fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 })

const anything = stepsOf(fc.constantFrom<0 | 1>(0, 1), {
  add: 3,
  deduct: 3,
  repeat: 3,
  wait: 3,
  transfer: 1,
  reserve: 2,
  capture: 1,
  release: 1,
  redeem: 1,
  restore: 1,
  issue: 1,
  reverse: 2,
  points: 1
})
/** Of one customer: refunds and disputes come upon several reservations that are open, of credit that comes before and after them. */
const reserving = stepsOf(
  fc.constant(0),
  { add: 2, wait: 1, reserve: 6, capture: 1, release: 2, issue: 3, reverse: 3 },
  200
)
/** Of one customer: credit is spent that is past its date, before anything has expired it, and given back. */
const late = stepsOf(fc.constant(0), { add: 4, deduct: 4, wait: 4, reserve: 1, redeem: 2, restore: 3, issue: 1 })
export const life = fc.oneof(
  { weight: 4, arbitrary: batchesOf(anything) },
  { weight: 3, arbitrary: batchesOf(reserving) },
  { weight: 2, arbitrary: batchesOf(late) }
)
