import fc from 'fast-check'

/** What may happen to the points of two customers. */
export type Step =
  | { kind: 'earn'; who: 0 | 1; points: number; holdDays: number; days: number | null; isShared: boolean }
  | { kind: 'spend'; who: 0 | 1; points: number }
  | { kind: 'restore'; nth: number }
  | { kind: 'undo'; nth: number }
  | { kind: 'set'; who: 0 | 1; balance: number }
  | { kind: 'refund' | 'dispute'; who: 0 | 1; tenths: number }
  | { kind: 'repeat'; nth: number }
  | { kind: 'wait'; days: number; settles: boolean }

const who = fc.constantFrom(0 as const, 1 as const)
const of = <const K extends string>(kind: K) => fc.constant(kind)
const steps: fc.WeightedArbitrary<Step>[] = [
  {
    weight: 6,
    arbitrary: fc.record({
      kind: of('earn'),
      who,
      points: fc.integer({ min: 1, max: 300 }),
      holdDays: fc.constantFrom(0, 0, 1, 3, 6),
      days: fc.option(fc.integer({ min: 1, max: 8 }), { nil: null }),
      isShared: fc.boolean()
    })
  },
  { weight: 4, arbitrary: fc.record({ kind: of('spend'), who, points: fc.integer({ min: 1, max: 400 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: of('restore'), nth: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: of('undo'), nth: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ kind: of('set'), who, balance: fc.integer({ min: 0, max: 300 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('refund' as const, 'dispute' as const),
      who,
      tenths: fc.integer({ min: 0, max: 12 })
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: of('repeat'), nth: fc.nat(8) }) },
  { weight: 4, arbitrary: fc.record({ kind: of('wait'), days: fc.integer({ min: 1, max: 4 }), settles: fc.boolean() }) }
]

/** A life: steps one after the other. */
export const life = fc.array(fc.oneof(...steps), { minLength: 10, maxLength: 40, size: 'max' })
