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
import { life, type Step } from './points-steps.ts'

export type PointsTrial = { db: Database; sequences: number; seed: number }
export type PointsReport = { sequences: number; steps: number; refused: number }

const AT_ONCE = 4
/** For so long after the first failure a shorter life that fails is looked for. */
const SHORTENS_MS = 15_000
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const NEVER = Number.POSITIVE_INFINITY
const dayAt = (day: number) => START.add({ hours: 24 * day })

type Lot = { left: number; endsOn: number; nth: number }
type TakenBack = { type: 'refund' | 'dispute'; taken: number; shortfall: number }
type Grant = {
  entryId: number
  points: number
  isShared: boolean
  isUndone: boolean
  readyOn: number
  endsOn: number
  pending: number
  lot: Lot | null
  taken: TakenBack[]
  lastTakenOn: number
}
type Spent = { entryId: number; points: number; on: number; parts: { lot: Lot; points: number }[]; isRestored: boolean }
type Person = {
  memberId: number
  orderId: number
  lots: Lot[]
  grants: Grant[]
  spent: Spent[]
  lifetime: number
  events: number
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
    const amounts = { lots: [], grants: [], spent: [], lifetime: 0, events: 0, refunded: 0, disputed: 0 }
    people.push({ memberId, orderId: await anOrder(store, memberId), ...amounts })
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
    open(person)
    const readyOn = today + holdDays
    const grant: Grant = {
      ...{
        entryId: entry!.id,
        points,
        isShared,
        isUndone: false,
        readyOn,
        endsOn: days === null ? NEVER : readyOn + days
      },
      ...{ pending: holdDays === 0 ? 0 : points, lot: null, taken: [], lastTakenOn: today }
    }
    person.grants.push(grant)
    if (holdDays === 0) addEarned(person, grant, points)
  }

  function addEarned(person: Person, grant: Grant, points: number) {
    grant.lot = { left: points, endsOn: grant.endsOn, nth: ++nth }
    person.lots.push(grant.lot)
    person.lifetime += points
    person.events++
  }

  async function spend({ who, points }: Extract<Step, { kind: 'spend' }>) {
    const person = people[who]!
    const cause = { memberId: person.memberId, points, reason: 'x', operationId: `spend:${++nth}` }
    const { refusal, entry } = await store.inStore((ctx) => spendPoints(ctx, cause))
    open(person)
    assert.equal(refusal === undefined, points <= balanceOf(person))
    if (refusal) return void report.refused++
    person.events++
    person.spent.push({ entryId: entry!.id, points, on: today, parts: take(person, points, null), isRestored: false })
  }

  /** What ends first is taken first; before that what is left of the given lot. */
  function take(person: Person, points: number, first: Lot | null) {
    let left = points
    const inOrder = person.lots.toSorted((a, b) => (a.endsOn === b.endsOn ? a.nth - b.nth : a.endsOn - b.endsOn))
    const parts = [...inOrder.filter((lot) => lot === first), ...inOrder.filter((lot) => lot !== first)].map((lot) => {
      const taken = Math.min(lot.left, left)
      lot.left -= taken
      left -= taken
      return { lot, points: taken }
    })
    assert.equal(left, 0)
    return parts.filter((part) => part.points > 0)
  }

  /** A lot whose date has passed since `takenOn` lasts as long as it did then. */
  function putBack(lot: Lot, points: number, takenOn: number, endsOn: number) {
    // A lot that is not used up keeps its date.
    if (lot.left === 0) lot.endsOn = endsOn > today ? endsOn : today + (endsOn - takenOn)
    lot.left += points
  }

  async function restore(n: number) {
    const all = people.flatMap((person) => person.spent.map((spent) => ({ person, spent })))
    const one = all[n % Math.max(1, all.length)]
    if (!one) return
    const { person, spent } = one
    const reversal = { entryId: spent.entryId, reason: 'x', operationId: `restore:${++nth}` }
    const entries = await store.inStore((ctx) => reversePoints(ctx, [reversal]))
    open(person)
    assert.equal(entries.length, spent.isRestored ? 0 : 1)
    if (spent.isRestored) return
    spent.isRestored = true
    person.events++
    for (const { lot, points } of spent.parts) putBack(lot, points, spent.on, grantEnd(person, lot))
  }

  /** The date that the entry of a lot has, whatever became of the lot since. */
  function grantEnd(person: Person, lot: Lot): number {
    return person.grants.find((grant) => grant.lot === lot)?.endsOn ?? NEVER
  }

  async function undo(n: number) {
    const all = people.flatMap((person) => person.grants.map((grant) => ({ person, grant })))
    const one = all[n % Math.max(1, all.length)]
    if (!one) return
    const { person, grant } = one
    const reversal = { entryId: grant.entryId, reason: 'x', operationId: `undo:${++nth}` }
    await store.inStore((ctx) => reversePoints(ctx, [reversal]))
    open(person)
    const left = grant.points - grant.taken.reduce((sum, { taken, shortfall }) => sum + taken + shortfall, 0)
    if (left === 0 || grant.isUndone) return
    takeBack(person, grant, 'refund', left)
    grant.isUndone = true
  }

  function takeBack(person: Person, grant: Grant, type: 'refund' | 'dispute', asked: number) {
    const pending = Math.min(asked, grant.pending)
    grant.pending -= pending
    const taken = Math.min(asked - pending, balanceOf(person))
    const shortfall = asked - pending - taken
    take(person, taken, grant.lot)
    person.lifetime -= taken + shortfall
    if (taken > 0) person.events++
    grant.taken.push({ type, taken: pending + taken, shortfall })
    grant.lastTakenOn = today
  }

  async function settle(person: Person, kind: 'refund' | 'dispute', tenths: number) {
    if (kind === 'refund') person.refunded = tenths
    else person.disputed = tenths
    const { orderId, refunded: refundedMinor, disputed: disputedMinor } = person
    await store.inStore((ctx) => settleOrderPoints(ctx, [{ orderId, wholeMinor: 10, refundedMinor, disputedMinor }]))
    const shared = person.grants.filter(({ isShared, isUndone }) => isShared && !isUndone)
    if (shared.length > 0) open(person)
    for (const grant of shared) settleGrant(person, grant)
  }

  function settleGrant(person: Person, grant: Grant) {
    const { refunded, disputed } = person
    const shareOf = (tenths: number) => Math.floor((grant.points * Math.min(tenths, 10)) / 10)
    const asked = (type: TakenBack['type']) =>
      grant.taken.reduce((sum, one) => (one.type === type ? sum + one.taken + one.shortfall : sum), 0)
    const [forRefunds, inAll] = [shareOf(refunded), shareOf(refunded + disputed)]
    const won = disputed === 0 ? asked('dispute') : 0
    const excess = Math.max(0, asked('refund') + asked('dispute') - won - inAll)
    const ofRefunds = Math.min(excess, Math.max(0, asked('refund') - forRefunds))
    giveBack(person, grant, 'refund', ofRefunds)
    giveBack(person, grant, 'dispute', won + excess - ofRefunds)
    const refunds = Math.max(0, Math.min(forRefunds - asked('refund'), inAll - asked('refund') - asked('dispute')))
    const disputes = inAll - asked('refund') - asked('dispute') - refunds
    if (refunds > 0) takeBack(person, grant, 'refund', refunds)
    if (disputes > 0) takeBack(person, grant, 'dispute', disputes)
  }

  /** The last take-back first, of each first what it could not take. */
  function giveBack(person: Person, grant: Grant, type: TakenBack['type'], points: number) {
    if (points === 0) return
    let open = points
    let back = 0
    let dropped = 0
    for (const one of grant.taken.filter((other) => other.type === type).toReversed()) {
      const shortfall = Math.min(one.shortfall, open)
      const taken = Math.min(one.taken, open - shortfall)
      one.shortfall -= shortfall
      one.taken -= taken
      open -= shortfall + taken
      dropped += shortfall
      back += taken
    }
    if (grant.readyOn > today && grant.lot === null) grant.pending += back
    else {
      person.lifetime += back + dropped
      if (back > 0) {
        person.events++
        grant.lot ??= newLot(person)
        putBack(grant.lot, back, grant.lastTakenOn, grant.endsOn)
      }
    }
    grant.lastTakenOn = today
  }

  /** Of points that were all taken back while they were pending. */
  function newLot(person: Person): Lot {
    const lot = { left: 0, endsOn: NEVER, nth: 0 }
    person.lots.push(lot)
    return lot
  }

  async function set({ who, balance }: Extract<Step, { kind: 'set' }>) {
    const person = people[who]!
    const adjustment = { memberId: person.memberId, balance, reason: 'x', operationId: `set:${++nth}` }
    await store.inStore((ctx) => adjustPoints(ctx, [adjustment]))
    open(person)
    const change = balance - balanceOf(person)
    if (change === 0) return
    person.events++
    if (change < 0) take(person, -change, null)
    else person.lots.push({ left: change, endsOn: NEVER, nth: ++nth })
  }

  async function repeat(n: number) {
    const again = earned[n % Math.max(1, earned.length)]
    if (!again) return
    assert.deepEqual(await store.inStore((ctx) => earnPoints(ctx, [again])), [])
    open(people.find(({ memberId }) => memberId === again.memberId)!)
  }

  async function wait({ days, settles }: { days: number; settles: boolean }) {
    today += days
    await store.inStore((ctx) => setClock(ctx, dayAt(today)))
    if (!settles) return
    while ((await engine.runOnce(store.storeId)) > 0);
    for (const person of people) open(person)
  }

  /** Whoever opens an account makes due points earned first, and lets lots past their date expire. */
  function open(person: Person) {
    const due = person.grants.filter(({ pending, readyOn }) => pending > 0 && readyOn <= today)
    for (const grant of due.toSorted((a, b) => a.readyOn - b.readyOn || a.entryId - b.entryId)) {
      addEarned(person, grant, grant.pending)
      grant.pending = 0
    }
    for (const lot of person.lots) {
      if (lot.left === 0 || lot.endsOn > today) continue
      lot.left = 0
      person.events++
    }
  }

  async function compare() {
    for (const person of people) {
      const { memberId } = person
      const found = await store.inStore(({ tx, storeId }) => readAccount(tx, storeId, memberId))
      const lots = person.lots.filter(({ left }) => left > 0)
      const pending = person.grants.filter((grant) => grant.pending > 0)
      assert.deepEqual(found, {
        balance: balanceOf(person),
        pending: pending.reduce((sum, grant) => sum + grant.pending, 0),
        lifetime: person.lifetime,
        events: person.events,
        lots: lots.map(({ left, endsOn }) => `${left} until ${endsOn}`).sort(),
        parts: pending.map((grant) => `${grant.pending} on ${grant.readyOn}`).sort()
      })
    }
  }
}

const balanceOf = ({ lots }: Person) => lots.reduce((sum, { left }) => sum + left, 0)

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
