import assert from 'node:assert/strict'
import { type Database, instant, int, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { type Billed, type CatchUpMode, openShop, type Shop } from './calendar-store.ts'

export type CalendarTrial = { db: Database; zones: string[]; fromYear: number; years: number; seed: number }
export type CalendarReport = {
  zones: number
  unknownZones: number
  cycles: number
  setBack: number
  setAhead: number
  billedAhead: number
  missed: number
  /** Time zones for which PostgreSQL's tables are of another year than Node's. */
  otherRules: string[]
}

/** Local times that daylight saving skips or repeats, and one that it never affects. */
const TIMES = ['00:30', '02:30', '15:00']
/** Less than the time between two dates, so that a late run misses no cycle. */
const LATEST_HOURS = 5 * 24
/** The error of a wrong clock. */
const WRONG_HOURS = [1, 30 * 24] as const
/** How long a clock stays ahead. */
const AHEAD_HOURS = 30 * 24
/** A run mostly waits for statements, so several run concurrently. */
const AT_ONCE = 6

/**
 * Bills monthly subscriptions started on 28 to 31 January over years, in a store of each time zone. Each cycle must be billed
 * once, on the start's local day and time or on the last day of a shorter month. Runs are on time or days late; the clock is set
 * back by an hour or 30 days, or is ahead for a while and then corrected, and what it billed must not be billed again. Half way
 * the shop changes its time zone. Stores bill all missed cycles or the latest one; with the latter, and only while the clock is
 * ahead, a cycle may be missed in favour of a later due one. PostgreSQL's calendar gives the expected dates. Throws with all
 * failing zones.
 */
export async function calendarTrial(trial: CalendarTrial): Promise<CalendarReport> {
  const zones = await knownZones(trial.db, trial.zones)
  const unknownZones = trial.zones.length - zones.length
  const report = { cycles: 0, setBack: 0, setAhead: 0, billedAhead: 0, missed: 0 }
  const otherRules = new Set<string>()
  const failures: Error[] = []
  const waiting = [...zones.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [i, zone] = next
      // For the same seed a zone has the same run, whatever the order of zones.
      const random = randomFrom(trial.seed * 10_000 + i)
      const moveTo = zones[Math.floor(random() * zones.length)]!
      const catchUp = random() < 0.5 ? 'all' : 'latest'
      const life = { zone, moveTo, time: TIMES[i % TIMES.length]!, catchUp } as const
      try {
        const lived = await live(trial, life, random)
        for (const name of Object.keys(report) as (keyof typeof report)[]) report[name] += lived[name]
        for (const other of lived.otherRules) otherRules.add(other)
      } catch (err) {
        failures.push(new Error(`${JSON.stringify(life)}: ${(err as Error).message}`, { cause: err }))
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'))
  return { zones: zones.length, unknownZones, ...report, otherRules: [...otherRules].sort() }
}

/** The database may have fewer time zones than Node. */
async function knownZones(db: Database, zones: string[]): Promise<string[]> {
  const known = await db.inInstallation((tx) =>
    tx.many(row({ name: text }), sql`select name from pg_timezone_names where name = any(${zones}::text[])`)
  )
  const names = new Set(known.map(({ name }) => name))
  return zones.filter((zone) => names.has(zone))
}

type Life = { zone: string; moveTo: string; time: string; catchUp: CatchUpMode }

async function live({ db, fromYear, years }: CalendarTrial, life: Life, random: () => number) {
  const shop = await openShop(db, { ...life, fromYear })
  const last = years * 12 + 1
  const count = { setBack: 0, setAhead: 0, billedAhead: 0, missed: 0 }
  const billed: Billed[] = []
  const keep = (run: { billed: Billed[]; missed: number }) => {
    billed.push(...run.billed)
    return run.missed
  }
  for (;;) {
    const next = shop.nextDue()
    if (shop.billingStates().every(({ nextCycle }) => nextCycle > last)) break
    const isHalfWay = billed.length >= (shop.billingStates().length * last) / 2
    if (isHalfWay && shop.zone() !== life.moveTo) {
      await shop.moveTo(life.moveTo)
      continue
    }
    await shop.billsNothingAt(next.subtract({ milliseconds: 1 }))
    if (random() < 0.06) {
      count.setAhead++
      const byHours = pick(WRONG_HOURS, random)
      const truth = next.subtract({ minutes: 1 + Math.floor(random() * (byHours * 60 - 1)) })
      const ahead = await runAhead(shop, truth, byHours, random)
      count.billedAhead += ahead.billed.length
      count.missed += keep(ahead)
      continue
    }
    const late = random() < 0.5 ? 0 : Math.floor(random() * LATEST_HOURS)
    const now = next.add({ hours: late })
    assert.equal(keep(await shop.billAt(now)), 0, 'a run that was only late passed a cycle over')
    if (random() < 0.2) {
      count.setBack++
      await shop.billsNothingAt(now.subtract({ hours: pick(WRONG_HOURS, random) }))
    }
  }
  await assertOnce(shop, billed, count.missed, life)
  assert.deepEqual(await shop.findings(), [])
  return { ...count, cycles: billed.length, otherRules: await assertOnTheirDays(db, shop, billed) }
}

const pick = <T>(from: readonly T[], random: () => number): T => from[Math.floor(random() * from.length)]!

/**
 * The store's clock jumps ahead and bills for a while, and is then corrected. Nothing may be billed again, neither then nor when
 * the real time reaches that of the wrong clock.
 */
async function runAhead(shop: Shop, truth: Temporal.Instant, byHours: number, random: () => number) {
  const wrong = truth.add({ hours: byHours })
  const until = wrong.add({ hours: Math.floor(random() * AHEAD_HOURS) })
  // Sometimes nothing runs while the clock is ahead.
  const moments = random() < 0.5 ? [wrong, until] : [until]
  const runs = []
  for (const moment of moments) runs.push(await shop.billByClockAt(moment))
  for (const right of [truth, until.subtract({ hours: byHours }), until]) await shop.billsNothingByClockAt(right)
  return {
    billed: runs.flatMap(({ billed }) => billed),
    missed: runs.reduce((sum, run) => sum + run.missed, 0)
  }
}

/** Checks that no cycle is billed twice and only missed ones are left out, here and in the database. */
async function assertOnce(shop: Shop, billed: Billed[], missed: number, { catchUp }: Life): Promise<void> {
  let leftOut = 0
  for (const ofOne of Map.groupBy(billed, (one) => one.subscriptionId).values()) {
    const cycles = ofOne.map(({ cycle }) => cycle)
    assert.ok(
      cycles.every((cycle, i) => i === 0 || cycle > cycles[i - 1]!),
      `cycles billed: ${cycles}`
    )
    leftOut += cycles.at(-1)! - 1 - cycles.length
  }
  assert.equal(leftOut, missed)
  if (catchUp === 'all') assert.equal(leftOut, 0)
  assert.deepEqual(await shop.countCharges(), { charges: billed.length, cycles: billed.length })
}

/**
 * The expected date of cycle n by PostgreSQL: n - 1 months after the start in the shop's time zone. If PostgreSQL's zone tables
 * are of another year than ours and differ at that instant, only the day is compared. Returns the zones for which this was
 * necessary.
 */
async function assertOnTheirDays(db: Database, { startsOn }: Shop, billed: Billed[]): Promise<string[]> {
  const others = await db.inInstallation((tx) =>
    tx.many(
      row({ zone: text, cycle: int, local: text, dueAt: instant, dueThere: text }),
      sql`
      select zone, cycle, local::text as local, due_at, (due_at at time zone zone)::text as due_there
        from unnest(${billed.map((b) => b.zone)}::text[], ${billed.map((b) => b.cycle)}::int[],
                    ${billed.map((b) => startsOn[b.nth]!.toString())}::timestamp[], ${billed.map((b) => b.dueAt)}::timestamptz[])
               as t(zone, cycle, starts_on, due_at),
             lateral (select starts_on + (cycle - 1) * interval '1 month' as local) l,
             lateral (select local at time zone zone as wanted) w
       -- An hour that comes twice has two answers.
       where due_at <> wanted and (due_at at time zone zone) <> (wanted at time zone zone)`
    )
  )
  const plain = (local: string) => Temporal.PlainDateTime.from(local.replace(' ', 'T'))
  const wrong = others.filter(({ zone, local, dueAt, dueThere }) => {
    const isAgreed = plain(dueThere).equals(dueAt.toZonedDateTimeISO(zone).toPlainDateTime())
    return isAgreed || !plain(local).toZonedDateTime(zone).toInstant().equals(dueAt)
  })
  assert.deepEqual(
    wrong.map(({ dueAt, ...rest }) => ({ ...rest, dueAt: dueAt.toString() })),
    [],
    'cycles that were billed at another time'
  )
  return [...new Set(others.map(({ zone }) => zone))]
}
