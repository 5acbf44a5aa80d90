import type { Interval } from '#platform'

/** The series of a subscription's dates: cycle `anchorCycle` is at `anchorAt`, each next one an interval later. */
export type Cadence = { anchorAt: Temporal.Instant; anchorCycle: number; interval: Interval; intervalCount: number }

const UNIT = { day: 'days', week: 'weeks', month: 'months', year: 'years' } as const

/**
 * The instant of a cycle, counted from the anchor in the shop's time zone: from 31 January to 28 or 29 February, 31 March,
 * 30 April. In a gap or fold of daylight saving, Temporal's `compatible`.
 */
export function billingDate(cadence: Cadence, cycle: number, timezone: string): Temporal.Instant {
  const steps = (cycle - cadence.anchorCycle) * cadence.intervalCount
  return cadence.anchorAt
    .toZonedDateTimeISO(timezone)
    .toPlainDateTime()
    .add({ [UNIT[cadence.interval]]: steps })
    .toZonedDateTime(timezone, { disambiguation: 'compatible' })
    .toInstant()
}

/**
 * The cadence with another interval from cycle `from` on, which keeps its own date. The day of the month stays that of the
 * anchor, also where cycle `from` is in a month too short for it: billed on 28 February, a series of the 31st continues on a
 * 31st. So does the time of day where daylight saving leaves it out on that date.
 */
export function withInterval(
  cadence: Cadence,
  from: number,
  { interval, intervalCount }: Pick<Cadence, 'interval' | 'intervalCount'>,
  timezone: string
): Cadence {
  const at = billingDate(cadence, from, timezone)
  const plain = { anchorAt: at, anchorCycle: from, interval, intervalCount }
  const [anchor, date] = [cadence.anchorAt, at].map((t) => t.toZonedDateTimeISO(timezone).toPlainDateTime())
  const plainTime = anchor!.toPlainTime()
  const isCutShort = !isShort(cadence.interval) && !isShort(interval) && date!.day < anchor!.day
  if (!isCutShort && date!.toPlainTime().equals(plainTime)) return plain
  // An anchor some steps ahead, on a date that has that day and time, gives the same dates.
  const day = isCutShort ? anchor!.day : date!.day
  for (let ahead = 1; ahead <= MAX_STEPS_AHEAD; ahead++) {
    const there = date!.add({ [UNIT[interval]]: ahead * intervalCount }).toPlainDate()
    if (!isShort(interval) && there.daysInMonth < day) continue
    const zoned = (isShort(interval) ? there : there.with({ day })).toZonedDateTime({ timeZone: timezone, plainTime })
    if (zoned.toPlainTime().equals(plainTime))
      return { ...plain, anchorAt: zoned.toInstant(), anchorCycle: from + ahead }
  }
  return plain
}

const MAX_STEPS_AHEAD = 12
const isShort = (interval: Interval) => interval === 'day' || interval === 'week'

/** The first cycle from `from` on whose date is after `moment`. */
export function firstCycleAfter(cadence: Cadence, from: number, moment: Temporal.Instant, timezone: string): number {
  let cycle = Math.max(from, estimate(cadence, moment))
  while (Temporal.Instant.compare(billingDate(cadence, cycle, timezone), moment) <= 0) cycle++
  return cycle
}

/** Whether `moment` is in the period that a cycle pays for. */
export function isInPeriod(cadence: Cadence, cycle: number, moment: Temporal.Instant, timezone: string): boolean {
  const [from, to] = [cycle, cycle + 1].map((n) => billingDate(cadence, n, timezone))
  return Temporal.Instant.compare(from!, moment) <= 0 && Temporal.Instant.compare(moment, to!) < 0
}

/** The last cycle from `from` on that is due by `moment`; `from` itself when no later one is. */
export function lastCycleDue(cadence: Cadence, from: number, moment: Temporal.Instant, timezone: string): number {
  return Math.max(from, firstCycleAfter(cadence, from, moment, timezone) - 1)
}

const LONGEST_HOURS = { day: 25, week: 169, month: 745, year: 8785 } as const

/** A cycle that is certainly not after the moment, so that a long gap is not counted step by step. */
function estimate({ anchorAt, anchorCycle, interval, intervalCount }: Cadence, moment: Temporal.Instant): number {
  const hours = anchorAt.until(moment, { largestUnit: 'hours' }).hours
  return hours <= 0 ? 0 : anchorCycle + Math.floor(hours / (LONGEST_HOURS[interval] * intervalCount))
}
