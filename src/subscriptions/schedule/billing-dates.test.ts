import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { billingDate, type Cadence, firstCycleAfter, isInPeriod, lastCycleDue, withInterval } from './billing-dates.ts'

const NEW_YORK = 'America/New_York'

const cadence = (local: string, zone: string, interval: Cadence['interval'], intervalCount = 1): Cadence => ({
  anchorAt: Temporal.PlainDateTime.from(local).toZonedDateTime(zone).toInstant(),
  anchorCycle: 1,
  interval,
  intervalCount
})

const localDates = (of: Cadence, zone: string, cycles: number) =>
  Array.from({ length: cycles }, (_, i) =>
    billingDate(of, i + 1, zone)
      .toZonedDateTimeISO(zone)
      .toPlainDateTime()
      .toString({ smallestUnit: 'minute' })
  )

test('a month that lacks the anchor day bills on its last day, and the next one on the anchor day again', () => {
  assert.deepEqual(localDates(cadence('2026-01-31T10:00', NEW_YORK, 'month'), NEW_YORK, 13), [
    '2026-01-31T10:00',
    '2026-02-28T10:00',
    '2026-03-31T10:00',
    '2026-04-30T10:00',
    '2026-05-31T10:00',
    '2026-06-30T10:00',
    '2026-07-31T10:00',
    '2026-08-31T10:00',
    '2026-09-30T10:00',
    '2026-10-31T10:00',
    '2026-11-30T10:00',
    '2026-12-31T10:00',
    '2027-01-31T10:00'
  ])
})

test('another interval holds from a cycle on that keeps its date, and the day of the anchor comes back', () => {
  const after = (from: number, interval: Cadence['interval'], intervalCount = 1) => {
    const monthly = cadence('2026-01-31T10:00', NEW_YORK, 'month')
    const changed = withInterval(monthly, from, { interval, intervalCount }, NEW_YORK)
    assert.ok(billingDate(changed, from, NEW_YORK).equals(billingDate(monthly, from, NEW_YORK)))
    const longAgo = Temporal.Instant.from('2020-01-01T00:00Z')
    assert.equal(firstCycleAfter(changed, from, longAgo, NEW_YORK), from, 'wherever the anchor is')
    return localDates(changed, NEW_YORK, from + 3)
      .slice(from - 1)
      .map((date) => date.slice(0, 10))
  }
  assert.deepEqual(after(3, 'month', 2), ['2026-03-31', '2026-05-31', '2026-07-31', '2026-09-30'])
  assert.deepEqual(after(2, 'month', 2), ['2026-02-28', '2026-04-30', '2026-06-30', '2026-08-31'])
  assert.deepEqual(after(2, 'month', 3), ['2026-02-28', '2026-05-31', '2026-08-31', '2026-11-30'])
  assert.deepEqual(after(2, 'year'), ['2026-02-28', '2027-02-28', '2028-02-28', '2029-02-28'])
  assert.deepEqual(after(2, 'week', 2), ['2026-02-28', '2026-03-14', '2026-03-28', '2026-04-11'])
})

test('another interval that begins on a date whose time daylight saving skips has the time of the anchor after it', () => {
  for (const [interval, intervalCount, later] of [
    ['month', 2, ['2026-05-08T02:30', '2026-07-08T02:30']],
    ['year', 1, ['2027-03-08T02:30', '2028-03-08T02:30']],
    ['week', 2, ['2026-03-22T02:30', '2026-04-05T02:30']],
    ['day', 1, ['2026-03-09T02:30', '2026-03-10T02:30']]
  ] as const) {
    const monthly = cadence('2026-02-08T02:30', NEW_YORK, 'month')
    const changed = withInterval(monthly, 2, { interval, intervalCount }, NEW_YORK)
    assert.deepEqual(localDates(changed, NEW_YORK, 4).slice(1), ['2026-03-08T03:30', ...later], interval)
  }
})

test('of a series without a day of the month another interval has the day of the cycle that it begins with', () => {
  for (const [short, from, later] of [
    ['week', 3, ['2026-03-14T10:00', '2026-04-14T10:00']],
    ['day', 3, ['2026-03-02T10:00', '2026-04-02T10:00']]
  ] as const) {
    const changed = withInterval(
      cadence('2026-01-31T10:00', NEW_YORK, short),
      from,
      { interval: 'month', intervalCount: 1 },
      NEW_YORK
    )
    assert.deepEqual(localDates(changed, NEW_YORK, 5).slice(3), later, short)
  }
})

test('an interval that meets daylight saving again has the time of the anchor after that too', () => {
  const monthly = cadence('2026-02-08T02:30', NEW_YORK, 'month')
  const changed = withInterval(monthly, 2, { interval: 'year', intervalCount: 11 }, NEW_YORK)
  const later = ['2026-03-08T03:30', '2037-03-08T03:30', '2048-03-08T03:30', '2059-03-08T02:30']
  assert.deepEqual(localDates(changed, NEW_YORK, 5).slice(1), later)
})

test('29 February comes back in leap years only', () => {
  assert.deepEqual(localDates(cadence('2024-02-29T08:30', 'Europe/Berlin', 'year'), 'Europe/Berlin', 5), [
    '2024-02-29T08:30',
    '2025-02-28T08:30',
    '2026-02-28T08:30',
    '2027-02-28T08:30',
    '2028-02-29T08:30'
  ])
})

test('a local time that daylight saving skips falls after the gap, one that it doubles on the first', () => {
  const gap = cadence('2026-02-08T02:30', NEW_YORK, 'month')
  assert.equal(billingDate(gap, 2, NEW_YORK).toString(), '2026-03-08T07:30:00Z')
  assert.equal(billingDate(gap, 3, NEW_YORK).toZonedDateTimeISO(NEW_YORK).hour, 2)
  const fold = cadence('2026-10-01T01:30', NEW_YORK, 'month')
  assert.equal(
    billingDate({ ...fold, anchorAt: Temporal.Instant.from('2026-10-01T05:30:00Z') }, 2, NEW_YORK).toString(),
    '2026-11-01T05:30:00Z'
  )
})

test('in every zone, from the last days of months over three years, dates rise and keep the day of the anchor', () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    for (const day of [28, 29, 30, 31]) {
      const of = cadence(`2026-01-${day}T00:30`, zone, 'month')
      let last = of.anchorAt
      for (let cycle = 2; cycle <= 37; cycle++) {
        const at = billingDate(of, cycle, zone)
        const local = at.toZonedDateTimeISO(zone)
        assert.equal(local.day, Math.min(day, local.daysInMonth), `${zone} ${day} cycle ${cycle}`)
        assert.equal(Temporal.Instant.compare(at, last), 1)
        last = at
      }
    }
  }
})

test('the first cycle after a moment is the one a walk from the anchor finds, however far away', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'year' as const),
      fc.integer({ min: 1, max: 28 }),
      fc.integer({ min: -400, max: 3000 }),
      fc.constantFrom('UTC', NEW_YORK, 'Pacific/Apia', 'Asia/Kathmandu'),
      (interval, count, days, zone) => {
        const of = cadence('2025-10-31T23:30', zone, interval, count)
        const moment = of.anchorAt.add({ hours: days * 24 + 5 })
        let walked = 2
        while (Temporal.Instant.compare(billingDate(of, walked, zone), moment) <= 0) walked++
        assert.equal(firstCycleAfter(of, 2, moment, zone), walked)
        assert.equal(lastCycleDue(of, 2, moment, zone), Math.max(2, walked - 1))
      }
    ),
    { numRuns: 150 }
  )
})

test('a cycle pays for the time from its date up to that of the next one', () => {
  const of = cadence('2026-01-31T10:00', NEW_YORK, 'month')
  const [from, to] = [billingDate(of, 2, NEW_YORK), billingDate(of, 3, NEW_YORK)]
  const isIn = (moment: Temporal.Instant) => isInPeriod(of, 2, moment, NEW_YORK)
  assert.deepEqual([isIn(from), isIn(to.subtract({ milliseconds: 1 }))], [true, true])
  assert.deepEqual([isIn(from.subtract({ milliseconds: 1 })), isIn(to), isIn(of.anchorAt)], [false, false, false])
  // Long before the anchor there is no earlier cycle than the one that was asked for.
  assert.equal(firstCycleAfter({ ...of, anchorCycle: 9 }, 1, of.anchorAt.subtract({ hours: 24 * 100 }), NEW_YORK), 6)
  const daily = { ...of, interval: 'day' as const, anchorCycle: 200 }
  assert.equal(firstCycleAfter(daily, 1, of.anchorAt.subtract({ hours: 24 * 100 }), NEW_YORK), 101)
})
