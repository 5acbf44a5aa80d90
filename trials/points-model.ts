import assert from 'node:assert/strict'
import fc from 'fast-check'
import { audit } from '#audit'
import { createFactEngines } from '#kit/outbox'
import { type Database, instant, int, nullable, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { adjustPoints, type Earning, earnPoints, reversePoints, settleOrderPoints, spendPoints } from '#points'
import { setClock } from '#stores'
import { createPointsEngine } from '../src/points/points-engine.ts'
import { webhooksConsumer } from '../src/webhooks/queue/queue-deliveries.ts'
import { enginesInTurn } from '../test/engines-in-turn.ts'
import { aStore, type BuiltStore } from '../test/store-builder.ts'
import { type Grant, ModelledPoints, NEVER, type Spent } from './modelled-points.ts'
import { life, type Step } from './points-steps.ts'

export type PointsTrial = { db: Database; sequences: number; seed: number }
export type PointsReport = { sequences: number; steps: number; refused: number }

const AT_ONCE = 4
/** For so long after the first failure a shorter life that fails is looked for. */
const SHORTENS_MS = 15_000
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const dayAt = (day: number) => START.add({ hours: 24 * day })

type Person = {
  memberId: number
  orderId: number
  points: ModelledPoints
  /** With their entries. */
  grants: { entryId: number; isShared: boolean; grant: Grant }[]
  spent: { entryId: number; spent: Spent }[]
  refunded: number
  disputed: number
}

/**
 * Random lives of two customers: points are earned at once or after a time, spent, given back, undone, taken back and given back by refunds and
 * disputes, set by hand, and expire, against a model that knows nothing of tables. After each step the database must say what the model
 * says, and in the end the auditor must have no findings. Throws otherwise, with the seed and a short sequence that fails.
 */
export async function comparePoints({ db, sequences, seed }: PointsTrial): Promise<PointsReport> {
  const report: PointsReport = { sequences, steps: 0, refused: 0 }
  const dispatch = enginesInTurn(createFactEngines({ db, consumers: [webhooksConsumer] }))
  let failedAt: number | null = null
  const lifeOf = async (steps: Step[]) => {
    const store = await live(db, steps, report)
    while ((await dispatch.runOnce(store.storeId)) > 0);
    assert.deepEqual((await store.inStore(audit)).findings, [])
  }
  const lives = async (lane: number) => {
    const numRuns = Math.floor((sequences + lane) / AT_ONCE)
    if (numRuns === 0) return
    const lived = fc.asyncProperty(life, async (steps) => {
      if (failedAt !== null && performance.now() - failedAt > SHORTENS_MS) return
      await lifeOf(steps).catch((err) => {
        failedAt ??= performance.now()
        throw err
      })
    })
    await fc.assert(lived, { numRuns, seed: seed * AT_ONCE + lane, endOnFailure: false })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => lives(lane)))
  return report
}

async function live(db: Database, steps: Step[], report: PointsReport): Promise<BuiltStore> {
  const store = await aStore(db, { clockAt: START, timezone: 'UTC' })
  const reported = ['71', '72'].map((id) => ({ id, email: null, firstName: null, lastName: null }))
  const known = await store.inStore((ctx) => upsertCustomers(ctx, reported))
  const engine = createPointsEngine({ db })
  const people: Person[] = []
  for (const { id } of reported) {
    const memberId = known.get(id)!.id
    const nothing = { points: new ModelledPoints(), grants: [], spent: [], refunded: 0, disputed: 0 }
    people.push({ memberId, orderId: await anOrder(store, memberId), ...nothing })
  }
  const earned: Earning[] = []
  let today = 0
  let nth = 0

  for (const step of steps) {
    report.steps++
    if (step.kind === 'earn') await earn(step)
    else if (step.kind === 'spend') await spend(step)
    else if (step.kind === 'restore') await restore(step.nth)
    else if (step.kind === 'undo') await undo(step.nth)
    else if (step.kind === 'set') await set(step)
    else if (step.kind === 'repeat') await repeat(step.nth)
    else if (step.kind === 'wait') await wait(step)
    else await settle(people[step.who]!, step.kind, step.tenths)
    await compare()
  }
  await wait({ days: 10, settles: true })
  await compare()
  return store

  async function earn({ who, points, holdDays, days, isShared }: Extract<Step, { kind: 'earn' }>) {
    const person = people[who]!
    const earning: Earning = {
      ...{ memberId: person.memberId, points, reason: 'x', operationId: `earn:${++nth}` },
      ...{ orderId: isShared ? person.orderId : null, isShared, expireAfterDays: days },
      readyAt: holdDays === 0 ? null : dayAt(today + holdDays)
    }
    const [entry] = await store.inStore((ctx) => earnPoints(ctx, [earning]))
    earned.push(earning)
    const grant = person.points.earn(today, points, { readyOn: today + holdDays, days })
    person.grants.push({ entryId: entry!.id, isShared, grant })
  }

  async function spend({ who, points }: Extract<Step, { kind: 'spend' }>) {
    const person = people[who]!
    const cause = { memberId: person.memberId, points, reason: 'x', operationId: `spend:${++nth}` }
    const { refusal, entry } = await store.inStore((ctx) => spendPoints(ctx, cause))
    const spent = person.points.spend(today, points)
    assert.equal(refusal === undefined, spent !== null)
    if (spent === null) report.refused++
    else person.spent.push({ entryId: entry!.id, spent })
  }

  async function restore(n: number) {
    const all = people.flatMap((person) => person.spent.map((spent) => ({ person, ...spent })))
    const one = all[n % Math.max(1, all.length)]
    if (!one) return
    const reversal = { entryId: one.entryId, reason: 'x', operationId: `restore:${++nth}` }
    const entries = await store.inStore((ctx) => reversePoints(ctx, [reversal]))
    assert.equal(entries.length, one.person.points.restore(today, one.spent) ? 1 : 0)
  }

  async function undo(n: number) {
    const all = people.flatMap((person) => person.grants.map((grant) => ({ person, ...grant })))
    const one = all[n % Math.max(1, all.length)]
    if (!one) return
    const reversal = { entryId: one.entryId, reason: 'x', operationId: `undo:${++nth}` }
    await store.inStore((ctx) => reversePoints(ctx, [reversal]))
    one.person.points.undo(today, one.grant)
  }

  async function settle(person: Person, kind: 'refund' | 'dispute', tenths: number) {
    if (kind === 'refund') person.refunded = tenths
    else person.disputed = tenths
    const { orderId, refunded, disputed } = person
    const reversal = { orderId, wholeMinor: 10, refundedMinor: refunded, disputedMinor: disputed }
    await store.inStore((ctx) => settleOrderPoints(ctx, [reversal]))
    const shared = person.grants.flatMap(({ isShared, grant }) => (isShared ? grant : []))
    person.points.settle(today, shared, { whole: 10, refunded, disputed })
  }

  async function set({ who, balance }: Extract<Step, { kind: 'set' }>) {
    const person = people[who]!
    const adjustment = { memberId: person.memberId, balance, reason: 'x', operationId: `set:${++nth}` }
    await store.inStore((ctx) => adjustPoints(ctx, [adjustment]))
    person.points.set(today, balance)
  }

  async function repeat(n: number) {
    const again = earned[n % Math.max(1, earned.length)]
    if (!again) return
    assert.deepEqual(await store.inStore((ctx) => earnPoints(ctx, [again])), [])
    people.find(({ memberId }) => memberId === again.memberId)!.points.open(today)
  }

  async function wait({ days, settles }: { days: number; settles: boolean }) {
    today += days
    await store.inStore((ctx) => setClock(ctx, dayAt(today)))
    if (!settles) return
    while ((await engine.runOnce(store.storeId)) > 0);
    for (const { points } of people) points.open(today)
  }

  async function compare() {
    for (const { memberId, points } of people) {
      const found = await store.inStore(({ tx, storeId }) => readAccount(tx, storeId, memberId))
      const lots = points.lots.filter(({ left }) => left > 0)
      const waiting = points.grants.filter((grant) => grant.pending > 0)
      assert.deepEqual(found, {
        balance: points.balance,
        pending: points.pending,
        lifetime: points.lifetime,
        events: points.events,
        lots: lots.map(({ left, endsOn }) => `${left} until ${endsOn}`).sort(),
        parts: waiting.map((grant) => `${grant.pending} on ${grant.readyOn}`).sort()
      })
    }
  }
}

const dayOf = (at: Temporal.Instant | null) => (at === null ? NEVER : START.until(at).total('hours') / 24)

async function readAccount(
  tx: Parameters<Parameters<BuiltStore['inStore']>[0]>[0]['tx'],
  storeId: number,
  memberId: number
) {
  const amounts = await tx.one(
    row({ balance: int, pending: int, lifetime: int, events: int }),
    sql`
    select coalesce(max(balance), 0) as balance, coalesce(max(pending_points), 0) as pending,
           coalesce(max(lifetime_points), 0) as lifetime,
           (select count(*) from facts f where f.store_id = ${storeId} and f.name = 'member.points_changed'
               and f.refs ->> 'memberId' = ${String(memberId)}) as events
      from points_accounts where store_id = ${storeId} and member_id = ${memberId}`
  )
  const lots = await tx.many(
    row({ left: int, endsAt: nullable(instant) }),
    sql`
    select remaining_points as left, expires_at as ends_at from points_lots where store_id = ${storeId} and member_id = ${memberId}`
  )
  const pending = await tx.many(
    row({ left: int, readyAt: instant }),
    sql`
    select remaining_points as left, ready_at from points_pending where store_id = ${storeId} and member_id = ${memberId}`
  )
  return {
    ...amounts,
    lots: lots.map(({ left, endsAt }) => `${left} until ${dayOf(endsAt)}`).sort(),
    parts: pending.map(({ left, readyAt }) => `${left} on ${dayOf(readyAt)}`).sort()
  }
}

async function anOrder(store: BuiltStore, memberId: number): Promise<number> {
  const { id } = await store.inStore(({ tx, storeId, now }) =>
    tx.one(
      row({ id: int }),
      sql`
      insert into orders (store_id, platform_order_id, member_id, name, number, currency, total_minor, tax_minor, discount_minor,
                          financial_status, tags, discount_codes, processed_at, platform_updated_at, created_at, updated_at)
      values (${storeId}, ${memberId}::text, ${memberId}, '#1', '1', 'USD', 10, 0, 0, 'PAID', '{}', '{}', ${now}, ${now}, ${now}, ${now})
      returning id`
    )
  )
  return id
}
