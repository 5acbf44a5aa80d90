import type { Ctx } from '#kit/postgres'
import { settingsOf, storeContext } from '#stores'
import { loyaltySettings } from '../settings.ts'

/** A rolling year: 365 days of 24 hours, so that each thing counts equally long. */
export const YEAR_HOURS = 365 * 24

/**
 * What counts for tiers at an instant. `rolling_year`: what happened after `since`. `calendar_year`: what happened in this year of the shop, or all
 * that happened in the last one.
 */
export type ReviewPeriod =
  | { kind: 'rolling_year'; since: Temporal.Instant }
  | { kind: 'calendar_year'; lastYear: Temporal.Instant; thisYear: Temporal.Instant; nextYear: Temporal.Instant }

function reviewPeriod(
  kind: ReviewPeriod['kind'],
  { now, timezone }: { now: Temporal.Instant; timezone: string }
): ReviewPeriod {
  if (kind === 'rolling_year') return { kind, since: now.subtract({ hours: YEAR_HOURS }) }
  const { year } = now.toZonedDateTimeISO(timezone)
  const beginOf = (of: number) => Temporal.PlainDate.from({ year: of, month: 1, day: 1 }).toZonedDateTime(timezone)
  const [lastYear, thisYear, nextYear] = [year - 1, year, year + 1].map((of) => beginOf(of).toInstant())
  return { kind, lastYear: lastYear!, thisYear: thisYear!, nextYear: nextYear! }
}

/** By the setting of the store. */
export async function currentReviewPeriod(ctx: Ctx): Promise<ReviewPeriod> {
  const { tierReview } = await settingsOf(ctx, loyaltySettings)
  const { timezone } = await storeContext(ctx)
  return reviewPeriod(tierReview, { now: ctx.now, timezone })
}

/** Until when a tier holds that is reached in full now: a calendar year's to the end of the next one. */
export async function holdsUntil(ctx: Ctx): Promise<Temporal.Instant> {
  const period = await currentReviewPeriod(ctx)
  if (period.kind === 'rolling_year') return ctx.now.add({ hours: YEAR_HOURS })
  const { timezone } = await storeContext(ctx)
  return period.nextYear.toZonedDateTimeISO(timezone).add({ years: 1 }).toInstant()
}

/** Since when what happens leads to the next tier. A calendar year begins with that instant, a rolling one (`isAfter`) after it. */
export const countsSince = (period: ReviewPeriod): { since: Temporal.Instant; isAfter: boolean } =>
  period.kind === 'rolling_year' ? { since: period.since, isAfter: true } : { since: period.thisYear, isAfter: false }

/** The earliest that any period of a store may need: the beginning of the last year of the shop. */
export const earliestCounted = (now: Temporal.Instant, timezone: string): Temporal.Instant =>
  (reviewPeriod('calendar_year', { now, timezone }) as { lastYear: Temporal.Instant }).lastYear
