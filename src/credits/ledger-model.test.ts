// Random lives of two accounts against a model that knows nothing of lots in tables: after each step they agree.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { upsertCustomers } from '#members'
import { testDatabase } from '../../test/database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { changeCredits } from './change-credits.ts'
import type { CreditChange } from './credit.ts'
import { accountOf, at, moveTo, START } from './credit-account.test-helper.ts'
import { createCreditEngine } from './credit-engine.ts'

const { db } = await testDatabase()
const engine = createCreditEngine({ db })
const RUNS = Number(process.env.MODEL_RUNS ?? 60)

type Step =
  | { kind: 'add'; who: 0 | 1; minor: number; days: number | null }
  | { kind: 'deduct'; who: 0 | 1; minor: number }
  | { kind: 'repeat'; nth: number }
  | { kind: 'wait'; days: number; expire: boolean }

const who = fc.constantFrom<0 | 1>(0, 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    who,
    minor: fc.integer({ min: 1, max: 500 }),
    days: fc.option(fc.integer({ min: 1, max: 9 }))
  }),
  fc.record({ kind: fc.constant('deduct' as const), who, minor: fc.integer({ min: 1, max: 700 }) }),
  fc.record({ kind: fc.constant('repeat' as const), nth: fc.nat(30) }),
  fc.record({ kind: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 5 }), expire: fc.boolean() })
)
/** Steps of one call, as for requests at the same time. */
const life = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 })

/** One credit of the model: its minor units one by one would do, so lots are kept as they came. */
type ModelLot = { endsOn: number; left: number; nth: number }
type Model = { lots: ModelLot[]; entries: number }

const NEVER = Number.POSITIVE_INFINITY
const balanceOf = (model: Model) => model.lots.reduce((sum, lot) => sum + lot.left, 0)

function take(model: Model, minor: number, today: number): boolean {
  const usable = model.lots.filter((lot) => lot.endsOn > today).sort((a, b) => a.endsOn - b.endsOn || a.nth - b.nth)
  if (minor > usable.reduce((sum, lot) => sum + lot.left, 0)) return false
  let open = minor
  for (const lot of usable) {
    const taken = Math.min(lot.left, open)
    lot.left -= taken
    open -= taken
  }
  model.lots = model.lots.filter((lot) => lot.left > 0)
  model.entries++
  return true
}

const dayAt = (day: number) => at(START).add({ hours: 24 * day })

async function live(store: BuiltStore, members: number[], batches: Step[][]) {
  const models: Model[] = members.map(() => ({ lots: [], entries: 0 }))
  const done: CreditChange[] = []
  let today = 0
  let nth = 0

  for (const batch of batches) {
    const changes: CreditChange[] = []
    const expected: boolean[] = []
    for (const step of batch) {
      if (step.kind === 'wait') {
        await applyTransitions()
        today += step.days
        await moveTo(store, dayAt(today).toString())
        if (step.expire) await expire()
      } else if (step.kind === 'repeat') {
        const again = done[step.nth % Math.max(1, done.length)]
        if (!again) continue
        changes.push(again)
        expected.push(true)
      } else change(step)
    }
    await applyTransitions()
    await expire()
    await compare(true)

    function change(step: Extract<Step, { kind: 'add' | 'deduct' }>) {
      const model = models[step.who]!
      const days = step.kind === 'add' ? step.days : null
      const creditChange: CreditChange = {
        memberId: members[step.who]!,
        type: step.kind === 'add' ? 'manual_add' : 'manual_deduct',
        amountMinor: step.kind === 'add' ? step.minor : -step.minor,
        reason: 'x',
        operationId: `step:${++nth}`,
        expiresAt: days === null ? null : dayAt(today + days)
      }
      changes.push(creditChange)
      if (step.kind === 'deduct') expected.push(take(model, step.minor, today))
      else {
        model.lots.push({ endsOn: days === null ? NEVER : today + days, left: step.minor, nth })
        model.entries++
        expected.push(true)
      }
      if (expected.at(-1)) done.push(creditChange)
    }
    async function applyTransitions() {
      const outcomes = await store.inStore((ctx) => changeCredits(ctx, changes.splice(0)))
      assert.deepEqual(
        outcomes.map(({ refusal }) => refusal === undefined),
        expected.splice(0)
      )
      await compare(false)
    }
  }

  async function expire() {
    while ((await engine.runOnce(store.storeId)) > 0);
    for (const model of models) {
      const over = model.lots.filter((lot) => lot.endsOn <= today)
      model.lots = model.lots.filter((lot) => lot.endsOn > today)
      model.entries += over.length
    }
  }

  async function compare(isExpired: boolean) {
    for (const [i, model] of models.entries()) {
      if (model.entries === 0) continue
      const { balanceMinor, entries, lots, events } = await accountOf(store, members[i]!)
      assert.deepEqual(
        { balanceMinor, entries, recorded: events.length, lots: lots.map((lot) => lot.remainingMinor) },
        {
          balanceMinor: balanceOf(model),
          entries: model.entries,
          recorded: model.entries,
          lots: model.lots.sort((a, b) => a.endsOn - b.endsOn || a.nth - b.nth).map((lot) => lot.left)
        }
      )
      if (isExpired) assert.ok(model.lots.every((lot) => lot.endsOn > today))
    }
  }
}

test(`${RUNS} random sequences of adding, spending, expiring and repeating: the tables say what the model says`, async () => {
  await fc.assert(
    fc.asyncProperty(life, async (batches) => {
      const store = await aStore(db, { clockAt: at(START) })
      const recorded = ['71', '72'].map((id) => ({ id, email: null, firstName: null, lastName: null }))
      const known = await store.inStore((ctx) => upsertCustomers(ctx, recorded))
      await live(
        store,
        recorded.map(({ id }) => known.get(id)!.id),
        batches
      )
    }),
    { numRuns: RUNS, seed: Number(process.env.MODEL_SEED ?? 3), endOnFailure: false }
  )
})
