import { NEVER } from './modelled-points.ts'

/** When a life begins. Its days have 24 hours from then on. */
export const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
export const dayAt = (day: number) => START.add({ hours: 24 * day })

/** What a customer needs to be in a tier, as an operator enters it. */
export type Entry = { points_earned?: number; min_spend?: number; min_orders?: number }

/** A tier as an operator enters it. */
export type ModelledTier = {
  id: number
  name: string
  place: number
  isActive: boolean
  entryRules: Entry
  rewardRules: { points?: number; discount?: number }
  multiplier: number
  tag: string
}

export type Review = 'rolling_year' | 'calendar_year'

/** Points that were earned on a day, or an order of which so much is left. */
export type Counted = { day: number; points: number; spentMinor: number; orders: number }

/** The tier of a customer, and when it may be lost. */
export type HeldTier = { tier: ModelledTier | null; enteredOn: number; reviewOn: number }
export const NO_TIER: HeldTier = { tier: null, enteredOn: NEVER, reviewOn: NEVER }

const YEAR_DAYS = 365
export const yearOf = (day: number) => dayAt(day).toZonedDateTimeISO('UTC').year
const sumOf = (counted: Counted[], of: keyof Counted) => counted.reduce((sum, one) => sum + one[of], 0)

function suffices(counted: Counted[], { points_earned = 0, min_spend = 0, min_orders = 0 }: Entry): boolean {
  return (
    sumOf(counted, 'points') >= points_earned &&
    sumOf(counted, 'spentMinor') >= Math.round(min_spend * 100) &&
    sumOf(counted, 'orders') >= min_orders
  )
}

const ofYear = (counted: Counted[], year: number) => counted.filter(({ day }) => yearOf(day) === year)
const ofLastDays = (counted: Counted[], today: number) => counted.filter(({ day }) => day > today - YEAR_DAYS)

function isReached({ entryRules }: ModelledTier, counted: Counted[], review: Review, today: number): boolean {
  const years =
    review === 'rolling_year'
      ? [ofLastDays(counted, today)]
      : [ofYear(counted, yearOf(today)), ofYear(counted, yearOf(today) - 1)]
  return years.some((year) => suffices(year, entryRules))
}

/** The first day on which a tier is reached no more, if nothing else happens. */
function endOf(tier: ModelledTier, counted: Counted[], review: Review, today: number): number {
  if (Object.keys(tier.entryRules).length === 0) return NEVER
  if (review === 'calendar_year') {
    const newYear = Temporal.PlainDate.from({ year: yearOf(today) + 1, month: 1, day: 1 }).toZonedDateTime('UTC')
    return START.until(newYear.toInstant()).total('hours') / 24
  }
  const days = counted.map(({ day }) => day + YEAR_DAYS).filter((day) => day > today)
  return Math.min(...days.filter((day) => !isReached(tier, counted, review, day)))
}

/** Where a customer belongs today: in the highest tier that is reached; out of the present one only at its review, or `isAnew`. */
export function placedIn(
  tiers: ModelledTier[],
  { held, counted, review }: { held: HeldTier; counted: Counted[]; review: Review },
  { today, isAnew }: { today: number; isAnew: boolean }
): HeldTier {
  const reached = tiers.filter((tier) => tier.isActive && isReached(tier, counted, review, today))
  const [best = null] = reached.toSorted((a, b) => b.place - a.place)
  const isLower = (best?.place ?? -1) < (held.tier?.place ?? -1)
  if (held.tier?.isActive && isLower && !isAnew && held.reviewOn > today) return held
  return {
    tier: best,
    enteredOn: best === held.tier ? held.enteredOn : today,
    reviewOn: best === null ? NEVER : endOf(best, counted, review, today)
  }
}

/** The points of these that count for the next tier. */
export function pointsForNext(counted: Counted[], review: Review, today: number): number {
  return sumOf(review === 'rolling_year' ? ofLastDays(counted, today) : ofYear(counted, yearOf(today)), 'points')
}
