import type { Contract, Interval } from '../state/contracts.ts'

const UNITS = { DAY: 'days', WEEK: 'weeks', MONTH: 'months', YEAR: 'years' } as const

/** The instant `steps` intervals after an instant, on the shop's calendar; the day of the month stays if it exists. */
export function stepsFrom(
  moment: Temporal.Instant,
  interval: Interval,
  steps: number,
  timezone: string
): Temporal.Instant {
  return moment
    .toZonedDateTimeISO(timezone)
    .add({ [UNITS[interval]]: steps })
    .toInstant()
}

export type Cycle = { index: number; startAt: Temporal.Instant; endAt: Temporal.Instant }

/**
 * Cycle n of a contract. It is billed at its end: cycle 1 runs from the creation of the contract, which the first order paid, to
 * the first renewal.
 */
export function cycleOf(contract: Contract, index: number, timezone: string): Cycle {
  const { interval, intervalCount } = contract.billingPolicy
  const end = (cycle: number) =>
    stepsFrom(contract.cycleAnchorAt, interval, (cycle - contract.cycleAnchorIndex) * intervalCount, timezone)
  return { index, startAt: index === 1 ? contract.createdAt : end(index - 1), endAt: end(index) }
}

/**
 * The cycle that contains an instant; 1 for an instant before the contract. The end of a cycle, which is when it is billed, belongs
 * to that cycle.
 */
export function cycleAt(contract: Contract, moment: Temporal.Instant, timezone: string): Cycle {
  // Calendar intervals differ in length: step forward from an estimate that is never too late.
  const daysPerInterval = { DAY: 1, WEEK: 7, MONTH: 31, YEAR: 366 }[contract.billingPolicy.interval]
  const days = moment.since(contract.cycleAnchorAt).total('days')
  const steps = Math.floor(days / (daysPerInterval * contract.billingPolicy.intervalCount))
  let index = Math.max(1, contract.cycleAnchorIndex + Math.min(steps, 0) * 2 + Math.max(steps, 0) - 1)
  while (Temporal.Instant.compare(cycleOf(contract, index, timezone).endAt, moment) < 0) index++
  return cycleOf(contract, index, timezone)
}
