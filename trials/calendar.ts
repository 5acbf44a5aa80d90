import assert from 'node:assert/strict'
import { settleAttempts } from '#billing'
import { type Ctx, type Database, instant, int, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { followShop } from '#stores'
import { syncContracts } from '#subscriptions'
import { openDueAttempts } from '../src/billing/open-attempts.ts'
import { aContract, anOrder } from '../test/contract-builder.ts'
import { aStore } from '../test/store-builder.ts'

export type CalendarTrial = { db: Database; zones: string[]; fromYear: number; years: number; seed: number }
export type CalendarReport = { zones: number; unknownZones: number; cycles: number; turnedBack: number }

/** Local times at which daylight saving leaves hours out or has them twice, and one that it never touches. */
const TIMES = ['00:30', '02:30', '15:00']
const DAYS = [28, 29, 30, 31]
const MOST = 100
/** Less than from one date to the next, so that no cycle is missed. */
const LATEST_HOURS = 5 * 24

/** A cycle as it fell due, with the start it is counted from and the zone in which its date was made. */
type Due = { subscriptionId: number; cycle: number; dueAt: Temporal.Instant; startedAt: Temporal.Instant; zone: string }

/**
 * Monthly subscriptions begun on the 28th to 31st of January, in a store of each zone, through the database's take and
 * settle for years: each cycle is billed once, on the start's day and time in the shop's zone or the last day of a shorter
 * month. The run comes at the moment itself or days late, the clock is turned back by an hour or 30 days, and half way the
 * shop moves to another zone. PostgreSQL's calendar says what the dates should have been. Throws where one differs.
 */
export async function calendarTrial(trial: CalendarTrial): Promise<CalendarReport> {
  const random = randomFrom(trial.seed)
  const zones = await knownZones(trial.db, trial.zones)
  const report = { zones: zones.length, unknownZones: trial.zones.length - zones.length, cycles: 0, turnedBack: 0 }
  for (const [i, zone] of zones.entries()) {
    const moveTo = zones[Math.floor(random() * zones.length)]!
    const { dues, turnedBack } = await live(trial, { zone, moveTo, time: TIMES[i % TIMES.length]! }, random)
    report.cycles += dues.length
    report.turnedBack += turnedBack
    for (const ofOne of Map.groupBy(dues, (due) => due.subscriptionId).values()) {
      const cycles = ofOne.map((due) => due.cycle)
      assert.deepEqual(
        cycles,
        Array.from({ length: trial.years * 12 }, (_, n) => n + 2),
        `${zone}: cycles billed`
      )
    }
  }
  return report
}

/** The database may know fewer than Node does. */
async function knownZones(db: Database, zones: string[]): Promise<string[]> {
  const known = await db.inInstallation((tx) =>
    tx.many(row({ name: text }), sql`select name from pg_timezone_names where name = any(${zones}::text[])`)
  )
  const names = new Set(known.map(({ name }) => name))
  return zones.filter((zone) => names.has(zone))
}

type Life = { zone: string; moveTo: string; time: string }

async function live(trial: CalendarTrial, { zone, moveTo, time }: Life, random: () => number) {
  const starts = DAYS.map((day) =>
    Temporal.PlainDateTime.from(`${trial.fromYear}-01-${day}T${time}`).toZonedDateTime(zone).toInstant()
  )
  const store = await aStore(trial.db, { timezone: zone, clockAt: starts.at(-1)! })
  await store.inStore(async (ctx) => {
    const contracts = starts.map((at) => aContract(at))
    await syncContracts(
      ctx,
      contracts,
      contracts.map((contract, i) => anOrder(starts[i]!, { id: contract.originOrder!.id }))
    )
  })

  const dues: Due[] = []
  const wanted = trial.years * 12 * DAYS.length
  /** Of each subscription the zone in which its next date was made. */
  const madeIn = new Map<number, string>()
  let inZone = zone
  let turnedBack = 0
  while (dues.length < wanted) {
    const taken = await store.inStore(async (ctx) => {
      const next = await nextDue(ctx)
      const late = random() < 0.5 ? 0 : Math.floor(random() * LATEST_HOURS)
      const now = next.add({ hours: late })
      const at = (moment: Temporal.Instant) => openDueAttempts({ ...ctx, now: moment }, MOST)
      assert.equal(await at(next.subtract({ milliseconds: 1 })), 0, `${zone}: billed before its time`)
      const due = await dueBy(ctx, now)
      assert.equal(await at(now), due.length)
      await succeed({ ...ctx, now })
      if (random() < 0.2) {
        turnedBack++
        assert.equal(await at(now.subtract({ hours: random() < 0.5 ? 1 : 30 * 24 })), 0, `${zone}: billed again`)
      }
      return due
    })
    for (const due of taken) {
      const startedAt = starts[due.nth - 1]!
      dues.push({ ...due, startedAt, zone: madeIn.get(due.subscriptionId) ?? zone })
      madeIn.set(due.subscriptionId, inZone)
    }
    if (inZone === zone && dues.length >= wanted / 2) {
      await store.inStore((ctx) => followShop(ctx, { name: 'Test shop', timezone: moveTo }))
      inZone = moveTo
    }
  }
  await assertOnTheirDays(trial.db, dues)
  return { dues, turnedBack }
}

async function nextDue({ tx, storeId }: Ctx): Promise<Temporal.Instant> {
  const next = await tx.one(
    row({ at: instant }),
    sql`select min(billing_due_at) as at from subscriptions where store_id = ${storeId}`
  )
  return next.at
}

function dueBy({ tx, storeId }: Ctx, now: Temporal.Instant) {
  return tx.many(
    row({ subscriptionId: int, cycle: int, dueAt: instant, nth: int }),
    sql`
    select id as subscription_id, next_cycle as cycle, billing_due_at as due_at, nth
      from (select *, row_number() over (order by id) as nth from subscriptions where store_id = ${storeId}) s
     where billing_due_at <= ${now} order by billing_due_at, id`
  )
}

async function succeed(ctx: Ctx): Promise<void> {
  const open = await ctx.tx.many(
    row({ key: text }),
    sql`select idempotency_key as key from billing_attempts where store_id = ${ctx.storeId} and status = 'pending'`
  )
  const results = open.map(({ key }) => ({
    idempotencyKey: key,
    platformAttemptId: null,
    state: 'success' as const,
    order: anOrder(ctx.now),
    paymentMethod: null
  }))
  assert.equal(await settleAttempts(ctx, results), open.length)
}

/** By PostgreSQL: cycle n falls n - 1 months after the start on the shop's calendar. */
async function assertOnTheirDays(db: Database, dues: Due[]): Promise<void> {
  const wrong = await db.inInstallation((tx) =>
    tx.many(
      row({ zone: text, cycle: int, startedAt: instant, dueAt: instant, wanted: instant }),
      sql`
      select zone, cycle, started_at, due_at, wanted
        from unnest(${dues.map((d) => d.zone)}::text[], ${dues.map((d) => d.cycle)}::int[],
                    ${dues.map((d) => d.startedAt)}::timestamptz[], ${dues.map((d) => d.dueAt)}::timestamptz[])
               as t(zone, cycle, started_at, due_at),
             lateral (select ((started_at at time zone zone) + (cycle - 1) * interval '1 month') at time zone zone as wanted) w
       -- An hour that comes twice has two answers.
       where due_at <> wanted and (due_at at time zone zone) <> (wanted at time zone zone)`
    )
  )
  assert.deepEqual(wrong, [])
}
