// Everything that can happen to a subscription, in any order: whatever came before, it is charged once per cycle, not before its
// time, and never left unbilled. Seeded; a seed that fails prints the steps that led there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { instant, int, nullable, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { Refusal } from '#kit/refusal'
import { requestChange, rescheduleSubscription } from '#lifecycle'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife as lifeOf } from '../../test/subscription-life.ts'
import { datesOnAnchor } from './audit-rules.ts'

const { db } = await testDatabase()
const SEEDS = 24
const STEPS = 30
const CODES = ['INSUFFICIENT_FUNDS', 'EXPIRED_PAYMENT_METHOD', 'INSUFFICIENT_INVENTORY', 'CONTRACT_PAUSED']
/** What holds at every commit, whatever is still to be done. */
const RULES = new Set([
  'cycles_charged_once',
  'attempt_events_complete',
  'active_subscriptions_scheduled',
  'member_status_consistent',
  'created_events_complete'
])
type Life = Awaited<ReturnType<typeof lifeOf>>

const Charge = row({
  key: text,
  cycle: int,
  status: text,
  code: nullable(text),
  isSent: (value) => value !== null,
  scheduledAt: instant,
  cycleAt: instant
})
const chargesOf = (life: Life) =>
  life.inStore(({ tx, storeId }) =>
    tx.many(
      Charge,
      sql`select idempotency_key as key, cycle_index as cycle, status, error_code as code, submitted_at as is_sent,
                 scheduled_at, cycle_at from billing_attempts where store_id = ${storeId} order by id`
    )
  )

function steps(life: Life, pick: (below: number) => number) {
  let revision = 100
  let now = Temporal.Instant.from('2026-01-31T15:00:00Z')
  const pass = async (hours: number) => {
    now = now.add({ hours })
    await life.goTo(now.toString())
    await life.resumeEnded()
  }
  const ahead = () => now.add({ hours: 1 + pick(60 * 24) }).toString()
  const failed = async () => (await life.attempts()).filter(({ status }) => status === 'failed')
  const all: Record<string, () => Promise<unknown>> = {
    hours: () => pass(1 + pick(30)),
    days: () => pass(24 * (1 + pick(12))),
    month: () => pass(24 * 31),
    open: () => life.open(),
    bill: () => life.bill(),
    billAgain: () => life.bill(),
    pay: () => life.pay(),
    payAgain: () => life.pay(),
    decline: () => life.decline(CODES[pick(CODES.length)]!),
    declineSoftly: () => life.decline(CODES[0]!),
    pause: () => life.pause(),
    pauseFor: () => life.pauseUntil(ahead()),
    resume: () => life.resume(),
    resumeAt: () => life.resume(ahead()),
    pushed: () => life.pushed(),
    cancel: () => life.cancel(),
    reactivate: () => life.reactivate(),
    skip: () => life.skip(),
    move: () => life.inStore((ctx) => rescheduleSubscription(ctx, life.id, Temporal.Instant.from(ahead()), 'api')),
    retry: async () => {
      const attempts = await failed()
      if (attempts.length > 0) await life.retry(attempts[pick(attempts.length)]!.id)
    },
    newCard: () => life.newCard(),
    stoppedThere: () => life.sync({ status: 'paused', revision: String(++revision) }),
    activeThere: () => life.sync({ revision: String(++revision) }),
    requested: () => life.inStore((ctx) => requestChange(ctx, life.id, { intervalCount: 1 + pick(3) }, 'api')),
    wishThere: () => life.sync({ revision: String(++revision), intervalCount: 1 + pick(2) }),
    giveUp: () => life.giveUp(),
    /** A failure that was none. Only where no other try of its cycle reached the platform: that is what looking before is for. */
    truth: async () => {
      const charges = await chargesOf(life)
      const doubtful = charges.filter(
        (c) =>
          c.status === 'failed' &&
          c.isSent &&
          !charges.some((o) => o.cycle === c.cycle && o !== c && o.isSent && o.status !== 'failed')
      )
      if (doubtful.length > 0) await life.paidLate(doubtful[pick(doubtful.length)]!.key)
    }
  }
  return { all, pass }
}

async function holds(life: Life): Promise<void> {
  const s = await life.read()
  const charges = await chargesOf(life)
  for (const { key, scheduledAt, cycleAt } of charges) {
    assert.ok(Temporal.Instant.compare(scheduledAt, cycleAt) >= 0, `${key} was opened before its time`)
  }
  const paid = charges.filter(({ status }) => status === 'success')
  assert.equal(new Set(paid.map(({ cycle }) => cycle)).size, paid.length, 'a cycle was paid twice')
  assert.equal(s.cyclesPaid, paid.length + 1)
  if (s.status !== 'active' || s.billingDueAt !== null) return
  const ofNext = charges.filter(({ cycle }) => cycle === s.nextCycle)
  const isUnderWay = ofNext.some(({ status }) => status === 'pending')
  const isHeld = s.paymentMethodDeadline !== null || ofNext.at(-1)?.code === 'contract_not_billable'
  assert.ok(isUnderWay || isHeld, 'nothing is ahead, under way or held')
}

const isRefused = (err: unknown) => err instanceof Refusal && err.code === 'conflict'

for (let seed = 1; seed <= SEEDS; seed++) {
  test(`any order of moves and charges, seed ${seed}`, async () => {
    const random = randomFrom(seed)
    const pick = (below: number) => Math.floor(random() * below)
    const onFailure = (['cancel', 'pause', 'fail'] as const)[seed % 3]!
    const life = await lifeOf(db, { graceHours: 720, dunning: { onFailure, hardDeclineWaitDays: 10 } })
    const { all, pass } = steps(life, pick)
    const names = Object.keys(all)
    const done: string[] = []
    try {
      for (let n = 0; n < STEPS; n++) {
        const name = names[pick(names.length)]!
        done.push(name)
        await all[name]!().catch((err: unknown) => {
          if (!isRefused(err)) throw err
          done.push('(refused)')
        })
        await holds(life)
      }
      const { findings } = await life.inStore(audit)
      assert.deepEqual(
        findings.filter(({ check }) => RULES.has(check)),
        []
      )
      assert.deepEqual((await life.inStore(datesOnAnchor.check)).wrong, [])
      done.push('the end')
      await goesOn(life, pass)
    } catch (err) {
      throw new Error(`seed ${seed}: ${done.join(', ')}`, { cause: err })
    }
  })
}

/** Brought back and paid for, it is billed again and again, at least every second month; what has ended stays so. */
async function goesOn(life: Life, pass: (hours: number) => Promise<void>): Promise<void> {
  await life.pay()
  const { status, graceEndsAt } = await life.read()
  if (status === 'paused') await life.resume()
  else if (status === 'cancelled' && graceEndsAt) await life.reactivate().catch((err) => assert.ok(isRefused(err)))
  const before = await life.read()
  for (let half = 0; half < 12; half++) {
    // What is due waits a day at most for terms that were asked for.
    for (const hours of [25, 24 * 14]) {
      await life.newCard()
      await life.pushed()
      await life.bill()
      await life.pay()
      await holds(life)
      await pass(hours)
    }
  }
  const after = await life.read()
  if (before.status !== 'active') assert.equal(after.status, before.status)
  else assert.ok(after.cyclesPaid > before.cyclesPaid + 1, `stays at cycle ${after.nextCycle}`)
}
