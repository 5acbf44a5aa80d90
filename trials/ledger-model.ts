import assert from 'node:assert/strict'
import fc from 'fast-check'
import { audit } from '#audit'
import {
  type CreditChange,
  captureReservation,
  changeCredits,
  findCredit,
  releaseReservation,
  reserveCredit,
  restoreCredit,
  settleOrderCredit,
  transferCredit
} from '#credits'
import { createFactEngines } from '#kit/outbox'
import { type Database, int, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { adjustPoints } from '#points'
import { accountOf, at, moveTo, START } from '../src/credits/credit-account.test-helper.ts'
import { createCreditEngine } from '../src/credits/credit-engine.ts'
import { type EntryOfOrder, listEntriesOfOrder } from '../src/credits/reversal-queries.ts'
import { webhooksConsumer } from '../src/webhooks/queue/queue-deliveries.ts'
import { enginesInTurn } from '../test/engines-in-turn.ts'
import { aStore, type BuiltStore } from '../test/store-builder.ts'
import {
  endHeld,
  entered,
  freeOf,
  type Held,
  heldOf,
  inOrder,
  type Model,
  openAccount,
  openOf,
  type Part,
  partsOf,
  type Spent,
  spend,
  type TakeBackType,
  type Taken,
  take,
  usableLots
} from './ledger-lots.ts'
import { life, type Step } from './ledger-steps.ts'

export type LedgerTrial = { db: Database; sequences: number; seed: number }
export type LedgerReport = { sequences: number; steps: number; refused: number; repeated: number }

/** Sequences mostly wait for statements, so several run at once, each with a seed of its own. */
const AT_ONCE = 4
/** For so long after the first failure a shorter sequence that fails is looked for. */
const SHORTENS_MS = 15_000
const NEVER = Number.POSITIVE_INFINITY

/**
 * Random lives of two customers: credit is added, spent, repeated, expired, transferred, reserved, captured, released, redeemed,
 * restored, taken back and given back, and points are set, against a model that knows nothing of tables. After each step the database
 * must say what the model says, and in the end the auditor must have no findings. Throws otherwise, with the seed and a short sequence
 * that fails.
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
  const models: Model[] = []
  for (const member of members) {
    models.push({
      orderId: await anOrderOf(store, member),
      lots: [],
      entries: 0,
      recorded: 0,
      held: [],
      redeemed: [],
      issued: [],
      reversed: { refund: 0, dispute: 0 },
      points: 0,
      pointsEntries: 0
    })
  }
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
        openAccount(models[members.indexOf(again.memberId)]!, today)
        changes.push(again)
        expected.push(true)
      } else if (step.kind === 'transfer') {
        await apply()
        await transfer(step.from)
      } else if (step.kind === 'points') {
        await apply()
        await setPoints(step)
      } else if (step.kind === 'add' || step.kind === 'deduct') change(step)
      else {
        await apply()
        if (step.kind === 'reserve') await reserve(step)
        else if (step.kind === 'capture') await capture(step)
        else if (step.kind === 'release') await release(step)
        else if (step.kind === 'redeem') await redeem(step)
        else if (step.kind === 'restore') await restore(step)
        else if (step.kind === 'issue') await issue(step)
        else await reverse(step)
        await compare(false)
      }
    }
    await apply()
    await expire()
    await compare(true)

    function change(step: Extract<Step, { kind: 'add' | 'deduct' }>) {
      const model = models[step.who]!
      openAccount(model, today)
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
      if (step.kind === 'deduct') expected.push(take(model, step.minor, today) !== null)
      else {
        model.lots.push({ endsOn: days === null ? NEVER : today + days, left: step.minor, nth })
        entered(model)
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
    openAccount(giver, today)
    for (const held of giver.held) if (held.isOpen) endHeld(giver, held, held.parts, today)
    if (usableLots(giver, today).length > 0) openAccount(taker, today)
    for (const lot of usableLots(giver, today)) {
      entered(giver)
      entered(taker)
      taker.lots.push({ ...lot, nth: ++nth })
      giver.lots.splice(giver.lots.indexOf(lot), 1)
      lot.left = 0
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
      openAccount(model, today)
      for (const lot of model.lots.filter((lot) => lot.endsOn <= today)) {
        const kept = heldOf(model, lot, today)
        if (lot.left > kept) entered(model)
        lot.left = kept
      }
      model.lots = model.lots.filter((lot) => lot.left > 0)
    }
  }

  async function reserve({ who, minor, days }: Extract<Step, { kind: 'reserve' }>) {
    const model = models[who]!
    openAccount(model, today)
    const parts = partsOf(usableLots(model, today), minor, (lot) => freeOf(model, lot, today))
    const request = { memberId: members[who]!, amountMinor: minor, reason: 'x', expiresAt: dayAt(today + days) }
    const [outcome] = await store.inStore((ctx) => reserveCredit(ctx, [{ ...request, operationId: `held:${++nth}` }]))
    assert.equal(outcome!.refusal === undefined, parts !== null)
    if (parts === null) return void report.refused++
    model.held.push({ id: outcome!.reservation!.id, minor, on: today, endsOn: today + days, parts, isOpen: true })
  }

  /** The nth reservation of all that there were, with whose it is. */
  function aReservation(n: number): { held: Held; who: 0 | 1; isOpen: boolean } | null {
    const all = ([0, 1] as const).flatMap((who) => models[who]!.held.map((held) => ({ held, who })))
    const one = all[n % Math.max(1, all.length)]
    return one ? { ...one, isOpen: one.held.isOpen && one.held.endsOn > today } : null
  }

  async function capture({ nth: n, percent }: Extract<Step, { kind: 'capture' }>) {
    const found = aReservation(n)
    if (!found) return
    const { held, who, isOpen } = found
    const minor = Math.max(1, Math.floor((held.minor * percent) / 100))
    const captured = await store
      .inStore((ctx) => captureReservation(ctx, members[who]!, held.id, { amountMinor: minor }))
      .catch(() => null)
    assert.equal(captured !== null, isOpen && minor <= held.minor)
    if (!captured) return void report.refused++
    const model = models[who]!
    openAccount(model, today)
    const heldOfLot = (lot: Part['lot']) => held.parts.find((part) => part.lot === lot)!.minor
    const lots = held.parts.map(({ lot }) => lot)
    const parts = partsOf(lots, minor, heldOfLot)!
    spend(model, parts)
    const spentOf = (lot: Part['lot']) => parts.find((part) => part.lot === lot)?.minor ?? 0
    const given = lots.map((lot) => ({ lot, minor: heldOfLot(lot) - spentOf(lot) }))
    endHeld(model, held, given, today)
    model.redeemed.push({ entryId: captured.entry.id, minor, restored: 0, on: held.on, parts })
  }

  async function release({ nth: n }: Extract<Step, { kind: 'release' }>) {
    const found = aReservation(n)
    if (!found) return
    const { held, who, isOpen } = found
    const released = await store.inStore((ctx) => releaseReservation(ctx, members[who]!, held.id)).catch(() => null)
    assert.equal(released !== null, isOpen)
    if (!isOpen) return
    openAccount(models[who]!, today)
    endHeld(models[who]!, held, held.parts, today)
  }

  async function redeem({ who, minor }: Extract<Step, { kind: 'redeem' }>) {
    const model = models[who]!
    openAccount(model, today)
    const parts = take(model, minor, today)
    const change = { memberId: members[who]!, amountMinor: -minor, reason: 'x', operationId: `redeem:${++nth}` }
    const [outcome] = await store.inStore((ctx) => changeCredits(ctx, [{ ...change, type: 'redemption' }]))
    assert.equal(outcome!.refusal === undefined, parts !== null)
    if (parts === null) return void report.refused++
    model.redeemed.push({ entryId: outcome!.entry!.id, minor, restored: 0, on: today, parts })
  }

  async function restore({ nth: n, minor }: Extract<Step, { kind: 'restore' }>) {
    const all = ([0, 1] as const).flatMap((who) => models[who]!.redeemed.map((spent) => ({ spent, who })))
    const one = all[n % Math.max(1, all.length)]
    if (!one) return
    const { spent, who } = one
    const back = Math.min(minor ?? NEVER, spent.minor - spent.restored)
    const [restored] = await store.inStore((ctx) =>
      restoreCredit(ctx, [
        {
          entryId: spent.entryId,
          memberId: members[who]!,
          type: 'redemption_restored',
          reason: 'x',
          operationId: `restore:${++nth}`,
          ...(minor !== null && { amountMinor: minor })
        }
      ])
    )
    assert.equal(restored?.entry?.amountMinor ?? 0, back)
    if (back > 0) openAccount(models[who]!, today)
    giveBack(models[who]!, spent, back)
  }

  async function issue({ who, minor, days }: Extract<Step, { kind: 'issue' }>) {
    const model = models[who]!
    const lot = { endsOn: days === null ? NEVER : today + days, left: minor, nth: ++nth }
    const change = { memberId: members[who]!, amountMinor: minor, reason: 'x', operationId: `issue:${nth}` }
    const expiresAt = days === null ? null : dayAt(today + days)
    await store.inStore((ctx) =>
      changeCredits(ctx, [{ ...change, type: 'membership_charge', orderId: model.orderId, expiresAt }])
    )
    openAccount(model, today)
    model.lots.push(lot)
    model.issued.push({ minor, lot, taken: [] })
    entered(model)
  }

  /** So many tenths of the order are refunded, or claimed by disputes, now; none of those: they were won. */
  async function reverse({ who, type, tenths }: Extract<Step, { kind: 'reverse' }>) {
    const model = models[who]!
    model.reversed[type] = tenths
    const { refund, dispute } = model.reversed
    const { orderId } = model
    const order = { orderId, wholeMinor: 10, refundedMinor: refund, disputedMinor: dispute }
    await store.inStore((ctx) => settleOrderCredit(ctx, [order]))
    const written = await store.inStore((ctx) => listEntriesOfOrder(ctx, orderId))
    if (model.issued.length > 0) openAccount(model, today)
    const known = new Set(model.issued.flatMap(({ taken }) => taken.map(({ parts }) => parts[0]!.entryId)))
    const shareOf = (minor: number, part: number) => Math.floor((minor * Math.min(part, 10)) / 10)
    const askedOf = (taken: Taken[], type: TakeBackType) =>
      taken.filter((one) => one.type === type).reduce((sum, one) => sum + one.shortfall + keptOf(one), 0)
    const more = model.issued.flatMap((issued) => {
      const { minor, taken } = issued
      const asked = (of: TakeBackType) => askedOf(taken, of)
      const [forRefunds, inAll] = [shareOf(minor, refund), shareOf(minor, refund + dispute)]
      const won = dispute === 0 ? asked('dispute') : 0
      const excess = Math.max(0, asked('refund') + asked('dispute') - won - inAll)
      const ofRefunds = Math.min(excess, Math.max(0, asked('refund') - forRefunds))
      undo(model, taken, 'refund', ofRefunds)
      undo(model, taken, 'dispute', won + excess - ofRefunds)
      const refunds = Math.max(0, Math.min(forRefunds - asked('refund'), inAll - asked('refund') - asked('dispute')))
      const disputes = inAll - asked('refund') - asked('dispute') - refunds
      return [
        { issued, type: 'refund' as const, owed: refunds },
        { issued, type: 'dispute' as const, owed: disputes }
      ]
    })
    for (const { issued, type, owed } of more) {
      if (owed <= 0) continue
      const usable = usableLots(model, today)
      const free = usable.reduce((sum, lot) => sum + freeOf(model, lot, today), 0)
      const minor = Math.min(owed, free)
      const own = usable.filter((lot) => lot === issued.lot)
      const others = usable.filter((lot) => lot !== issued.lot)
      const parts = partsOf([...own, ...others], minor, (lot) => freeOf(model, lot, today))!
      spend(model, parts, minor > 0)
      const isNew = (one: EntryOfOrder) =>
        one.type === type && !known.has(one.id) && one.takeBackId === null && one.reversesId !== null
      const entry = written.find(isNew)!
      known.add(entry.id)
      assert.deepEqual([entry.amountMinor, entry.shortfallMinor], [minor === 0 ? 0 : -minor, owed - minor])
      const first = { entryId: entry.id, minor, restored: 0, on: today, parts }
      issued.taken.push({ type, shortfall: owed - minor, heldBy: openOf(model, today), parts: [first] })
    }
  }

  /** The last take-back first, of each first what it could not take, and then what it took last. */
  function undo(model: Model, taken: Taken[], type: TakeBackType, minor: number) {
    let open = minor
    for (const one of taken.filter((other) => other.type === type).toReversed()) {
      const dropped = Math.min(one.shortfall, open)
      open -= dropped
      one.shortfall -= dropped
      const back = Math.min(keptOf(one), open)
      open -= back
      if (dropped > 0 && back === 0) entered(model, false)
      let left = back
      for (const part of one.parts.toReversed()) {
        const given = Math.min(part.minor - part.restored, left)
        left -= given
        giveBack(model, part, given)
      }
    }
  }

  /** Back to the lots that it was spent from, the last one first; a new lot for what is past its date. */
  function giveBack(model: Model, spent: Spent, minor: number) {
    if (minor <= 0) return
    let skipped = spent.restored
    let open = minor
    const late = { endsOn: 0, left: 0, nth: ++nth }
    for (const { lot, minor: whole } of spent.parts.toReversed()) {
      const before = Math.min(whole, skipped)
      skipped -= before
      const part = Math.min(whole - before, open)
      open -= part
      if (part === 0) continue
      if (lot.endsOn > today) {
        lot.left += part
        if (!model.lots.includes(lot)) model.lots.push(lot)
      } else {
        late.left += part
        late.endsOn = Math.max(late.endsOn, today + lot.endsOn - spent.on)
      }
    }
    if (late.left > 0) model.lots.push(late)
    spent.restored += minor
    entered(model)
  }

  /** What a reservation holds whose time is over counts as given back. */
  function availableOf(model: Model): number {
    const opened = structuredClone(model)
    openAccount(opened, today)
    return usableLots(opened, today).reduce((sum, lot) => sum + freeOf(opened, lot, today), 0)
  }

  async function compare(isExpired: boolean) {
    for (const [i, model] of models.entries()) {
      const points = await pointsOf(store, members[i]!)
      assert.deepEqual(points, { balance: model.points, sum: model.points, entries: model.pointsEntries })
      if (model.entries === 0) continue
      const { balanceMinor, entries, lots, events } = await accountOf(store, members[i]!)
      const credits = events.filter(({ type }) => /^store_credit\.(added|deducted)$/.test(type))
      assert.deepEqual(
        { balanceMinor, entries, recorded: credits.length, lots: lots.map((lot) => lot.remainingMinor) },
        {
          balanceMinor: model.lots.reduce((sum, lot) => sum + lot.left, 0),
          entries: model.entries,
          recorded: model.recorded,
          lots: model.lots.sort(inOrder).map((lot) => lot.left)
        }
      )
      const { reservedMinor, availableMinor } = await store.inStore((ctx) => findCredit(ctx, members[i]!))
      assert.deepEqual(
        { reservedMinor, availableMinor },
        {
          reservedMinor: openOf(model, today).reduce((sum, { minor }) => sum + minor, 0),
          availableMinor: availableOf(model)
        }
      )
      if (isExpired) assert.ok(model.lots.every((lot) => lot.left === heldOf(model, lot, today) || lot.endsOn > today))
    }
  }
}

/** What was taken back and not given back. */
const keptOf = ({ parts }: Taken) => parts.reduce((sum, { minor, restored }) => sum + minor - restored, 0)

const dayAt = (day: number) => at(START).add({ hours: 24 * day })
async function anOrderOf(store: BuiltStore, memberId: number): Promise<number> {
  const { id } = await store.inStore(({ tx, storeId, now }) =>
    tx.one(
      row({ id: int }),
      sql`
      insert into orders (store_id, platform_order_id, member_id, name, number, currency, total_minor, tax_minor,
                          discount_minor, financial_status, tags, discount_codes, processed_at, platform_updated_at,
                          created_at, updated_at)
      values (${storeId}, ${String(memberId)}, ${memberId}, '#1', '1', 'USD', 10, 0, 0, 'PAID', '{}', '{}', ${now}, ${now},
              ${now}, ${now})
      returning id`
    )
  )
  return id
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
