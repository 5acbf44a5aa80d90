import assert from 'node:assert/strict'
import fc from 'fast-check'
import { audit } from '#audit'
import { type CreditChange, changeCredits, transferCredit } from '#credits'
import { createFactEngines } from '#kit/outbox'
import { type Database, int, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { adjustPoints } from '#points'
import { accountOf, at, moveTo, START } from '../src/credits/credit-account.test-helper.ts'
import { createCreditEngine } from '../src/credits/credit-engine.ts'
import { webhooksConsumer } from '../src/webhooks/receiver.test-helper.ts'
import { enginesInTurn } from '../test/engines-in-turn.ts'
import { aStore, type BuiltStore } from '../test/store-builder.ts'

export type LedgerTrial = { db: Database; sequences: number; seed: number }
export type LedgerReport = { sequences: number; steps: number; refused: number; repeated: number }

type Step =
  | { kind: 'add'; who: 0 | 1; minor: number; days: number | null }
  | { kind: 'deduct'; who: 0 | 1; minor: number }
  | { kind: 'repeat'; nth: number }
  | { kind: 'wait'; days: number; expire: boolean }
  | { kind: 'transfer'; from: 0 | 1 }
  | { kind: 'points'; who: 0 | 1; balance: number; repeats: number | null }

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
const life = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 })

/** What is left of one credit, and its place in the order of adding. */
type ModelLot = { endsOn: number; left: number; nth: number }
type Model = { lots: ModelLot[]; entries: number; points: number; pointsEntries: number }

/** Sequences mostly wait for statements, so several run at once, each with a seed of its own. */
const AT_ONCE = 4
/** For so long after the first failure a shorter sequence that fails is looked for. */
const SHORTENS_MS = 15_000
const NEVER = Number.POSITIVE_INFINITY

/**
 * Random lives of two customers: credit is added, spent, repeated, expired and transferred, and points are set, against a model
 * that knows nothing of tables. After each step the database must say what the model says, and in the end the auditor must have
 * no findings. Throws otherwise, with the seed and a short sequence that fails.
 */
export async function compareLedgers({ db, sequences, seed }: LedgerTrial): Promise<LedgerReport> {
  const dispatch = enginesInTurn(createFactEngines({ db, consumers: [webhooksConsumer] }))
  const report: LedgerReport = { sequences, steps: 0, refused: 0, repeated: 0 }
  let failedAt: number | null = null
  const lives = async (lane: number) => {
    const numRuns = Math.floor((sequences + lane) / AT_ONCE)
    if (numRuns === 0) return
    const lived = fc.asyncProperty(life, async (batches) => {
      if (failedAt !== null && performance.now() - failedAt > SHORTENS_MS) return
      await lifeOf(batches).catch((err) => {
        failedAt ??= performance.now()
        throw err
      })
    })
    await fc.assert(lived, { numRuns, seed: seed * AT_ONCE + lane, endOnFailure: false })
  }
  async function lifeOf(batches: Step[][]): Promise<void> {
    const store = await aStore(db, { clockAt: at(START) })
    const reported = ['71', '72'].map((id) => ({ id, email: null, firstName: null, lastName: null }))
    const known = await store.inStore((ctx) => upsertCustomers(ctx, reported))
    const members = reported.map(({ id }) => known.get(id)!.id)
    await live(db, store, members, batches, report)
    while ((await dispatch.runOnce(store.storeId)) > 0);
    assert.deepEqual((await store.inStore(audit)).findings, [])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => lives(lane)))
  return report
}

async function live(db: Database, store: BuiltStore, members: number[], batches: Step[][], report: LedgerReport) {
  const engine = createCreditEngine({ db })
  const models: Model[] = members.map(() => ({ lots: [], entries: 0, points: 0, pointsEntries: 0 }))
  const done: CreditChange[] = []
  let pointsSet = 0
  let today = 0
  let nth = 0

  for (const batch of batches) {
    const changes: CreditChange[] = []
    const expected: boolean[] = []
    for (const step of batch) {
      report.steps++
      if (step.kind === 'wait') {
        await apply()
        today += step.days
        await moveTo(store, dayAt(today).toString())
        if (step.expire) await expire()
      } else if (step.kind === 'repeat') {
        const again = done[step.nth % Math.max(1, done.length)]
        if (!again) continue
        report.repeated++
        changes.push(again)
        expected.push(true)
      } else if (step.kind === 'transfer') {
        await apply()
        await transfer(step.from)
      } else if (step.kind === 'points') {
        await apply()
        await setPoints(step)
      } else change(step)
    }
    await apply()
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
      else report.refused++
    }
    async function apply() {
      const outcomes = await store.inStore((ctx) => changeCredits(ctx, changes.splice(0)))
      assert.deepEqual(
        outcomes.map(({ refusal }) => refusal === undefined),
        expected.splice(0)
      )
      await compare(false)
    }
  }

  async function transfer(from: 0 | 1) {
    const [giver, taker] = [models[from]!, models[1 - from]!]
    for (const lot of usableLots(giver, today)) {
      giver.entries++
      taker.entries++
      taker.lots.push({ ...lot, nth: ++nth })
      giver.lots.splice(giver.lots.indexOf(lot), 1)
    }
    await store.inStore((ctx) => transferCredit(ctx, members[from]!, members[1 - from]!, `merge:${++nth}`))
    await compare(false)
  }

  /** `repeats`: under the operation of an earlier step, if there is one. */
  async function setPoints({ who, balance, repeats }: Extract<Step, { kind: 'points' }>) {
    const isRepeated = repeats !== null && repeats < pointsSet
    const model = models[who]!
    const operation = isRepeated ? repeats : pointsSet
    if (!isRepeated && balance !== model.points) {
      pointsSet++
      model.points = balance
      model.pointsEntries++
    }
    const adjustment = { memberId: members[who]!, balance, reason: 'x', operationId: `points:${operation}` }
    await store.inStore((ctx) => adjustPoints(ctx, [adjustment]))
    await compare(false)
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
      const points = await pointsOf(store, members[i]!)
      assert.deepEqual(points, { balance: model.points, sum: model.points, entries: model.pointsEntries })
      if (model.entries === 0) continue
      const { balanceMinor, entries, lots, events } = await accountOf(store, members[i]!)
      const credits = events.filter(({ type }) => type.startsWith('store_credit.'))
      assert.deepEqual(
        { balanceMinor, entries, recorded: credits.length, lots: lots.map((lot) => lot.remainingMinor) },
        {
          balanceMinor: model.lots.reduce((sum, lot) => sum + lot.left, 0),
          entries: model.entries,
          recorded: model.entries,
          lots: model.lots.sort(inOrder).map((lot) => lot.left)
        }
      )
      if (isExpired) assert.ok(model.lots.every((lot) => lot.endsOn > today))
    }
  }
}

const dayAt = (day: number) => at(START).add({ hours: 24 * day })
const inOrder = (a: ModelLot, b: ModelLot) => (a.endsOn === b.endsOn ? a.nth - b.nth : a.endsOn < b.endsOn ? -1 : 1)
const usableLots = ({ lots }: Model, today: number) => lots.filter((lot) => lot.endsOn > today).sort(inOrder)

/** Whether there is enough to take. */
function take(model: Model, minor: number, today: number): boolean {
  const usable = usableLots(model, today)
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

function pointsOf(store: BuiltStore, memberId: number) {
  return store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ balance: int, sum: int, entries: int }),
      sql`
      select coalesce((select balance from points_accounts where store_id = ${storeId} and member_id = ${memberId}), 0) as balance,
             coalesce(sum(points), 0)::bigint as sum, count(*) as entries
        from points_entries where store_id = ${storeId} and member_id = ${memberId}`
    )
  )
}
