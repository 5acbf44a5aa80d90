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
  /** For parts of these PostgreSQL's tables of zones are of another year than Node's. */
  otherRules: string[]
}

/** Local times at which daylight saving leaves hours out or has them twice, and one that it never touches. */
const TIMES = ['00:30', '02:30', '15:00']
/** Less than from one date to the next, so that a run that is only late misses no cycle. */
const LATEST_HOURS = 5 * 24
/** What a clock is wrong by. */
const WRONG_HOURS = [1, 30 * 24] as const
/** For how long one goes on that is ahead. */
const AHEAD_HOURS = 30 * 24
/** Most of the time is waiting for one statement after the other. */
const AT_ONCE = 6

/**
 * Monthly subscriptions begun on the 28th to 31st of January, in a store of each zone, through the database's take and
 * settle for years: each cycle is billed once, on the start's day and time in the shop's zone or the last day of a shorter
 * month. The run comes at the moment itself or days late; the clock is set back by an hour or 30 days; or it is ahead by as much
 * for a while and then set right: what was billed by it is not billed again. Half way the shop moves to another zone.
 * Stores bill all that they missed, or the latest: then, and only by a clock that is ahead, a cycle may be passed over for one
 * that had fallen due too. PostgreSQL's calendar says what the dates should have been. Throws with all zones where one differs.
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
      // Of one seed the same for each zone, in whichever order they come.
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

/** The database may know fewer than Node does. */
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
 * The store's clock jumps ahead of the true time and bills by what it then says, for a while; then it is set right, and nothing
 * is billed again, neither then nor when the true time gets to where the wrong clock was.
 */
async function runAhead(shop: Shop, truth: Temporal.Instant, byHours: number, random: () => number) {
  const wrong = truth.add({ hours: byHours })
  const until = wrong.add({ hours: Math.floor(random() * AHEAD_HOURS) })
  // At times nothing runs before it has gone on for that while.
  const moments = random() < 0.5 ? [wrong, until] : [until]
  const runs = []
  for (const moment of moments) runs.push(await shop.billByClockAt(moment))
  for (const right of [truth, until.subtract({ hours: byHours }), until]) await shop.billsNothingByClockAt(right)
  return {
    billed: runs.flatMap(({ billed }) => billed),
    missed: runs.reduce((sum, run) => sum + run.missed, 0)
  }
}

/** No cycle twice, and none left out but those passed over; so also by what the database kept. */
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
 * By PostgreSQL: cycle n falls n - 1 months after the start, on the clocks of the shop's zone. Where its tables say of that moment
 * what ours do not, being of another year, the clocks are ours and only the day is PostgreSQL's. Tells of which zones that was so.
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
    []
  )
  return [...new Set(others.map(({ zone }) => zone))]
}
