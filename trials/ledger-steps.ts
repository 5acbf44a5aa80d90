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

const who = fc.constantFrom<0 | 1>(0, 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      who,
      minor: fc.integer({ min: 1, max: 500 }),
      days: fc.option(fc.integer({ min: 1, max: 9 }))
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('deduct' as const), who, minor: fc.integer({ min: 1, max: 700 }) })
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeat' as const), nth: fc.nat(30) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      days: fc.integer({ min: 1, max: 5 }),
      expire: fc.boolean()
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('transfer' as const), from: who }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reserve' as const),
      who,
      minor: fc.integer({ min: 1, max: 500 }),
      days: fc.integer({ min: 1, max: 6 })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('capture' as const),
      nth: fc.nat(5),
      percent: fc.integer({ min: 1, max: 110 })
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), nth: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('redeem' as const), who, minor: fc.integer({ min: 1, max: 500 }) })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('restore' as const),
      nth: fc.nat(5),
      minor: fc.option(fc.integer({ min: 1, max: 300 }))
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('issue' as const),
      who,
      minor: fc.integer({ min: 1, max: 500 }),
      days: fc.option(fc.integer({ min: 1, max: 9 }))
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reverse' as const),
      who,
      type: fc.constantFrom<'refund' | 'dispute'>('refund', 'dispute'),
      tenths: fc.integer({ min: 0, max: 10 })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('points' as const),
      who,
      balance: fc.nat(50),
      repeats: fc.option(fc.nat(5))
    })
  }
)
/** Steps of one call, as for requests at the same time. */
export const life = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 })
