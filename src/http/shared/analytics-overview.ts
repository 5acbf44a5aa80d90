import { type Static, Type } from 'typebox'
import {
  type AnalyticsOverview,
  analyticsOverview,
  arpuMinor,
  arrMinor,
  churnRate,
  ltvMinor,
  mrrMinor,
  type PeriodMetrics,
  successRate
} from '#analytics'
import { internalId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { Queries } from '#kit/postgres'
import { type AnalyticsBody, PeriodBody } from '#resources'

/** The days of each period of the overview, today included (spec 1, Endpoints). */
const PERIOD_DAYS = { '7d': 7, '30d': 30, '90d': 90, '365d': 365 } as const

/** The spec names the four periods and no default. */
const DEFAULT_PERIOD = '30d'

export const PeriodField = Type.Optional(
  Type.Union(PeriodBody.anyOf, {
    description: '7d, 30d, 90d or 365d',
    meaning: 'Number of days, including today',
    default: DEFAULT_PERIOD
  })
)

/** The overview that a request asks for. */
export async function readOverview(
  direct: Queries,
  storeId: number,
  { period = DEFAULT_PERIOD, plan_id }: { period?: Static<typeof PeriodBody>; plan_id?: string }
): Promise<Static<typeof AnalyticsBody>> {
  const planId = plan_id === undefined ? undefined : internalId('plan', plan_id)
  const overview = await analyticsOverview(direct, storeId, { days: PERIOD_DAYS[period], planId })
  return presentAnalytics(overview, { period, planId: plan_id ?? null })
}

function presentAnalytics(
  { timezone, currency, current, previous, series }: AnalyticsOverview,
  { period, planId }: { period: Static<typeof PeriodBody>; planId: string | null }
): Static<typeof AnalyticsBody> {
  return {
    period,
    timezone,
    currency,
    plan_id: planId,
    ...presentMetrics(current, currency),
    series: series.map((day) => ({
      date: day.day.toString(),
      active: Number(day.membersActive),
      new: Number(day.membersNew),
      cancelled: Number(day.membersCancelled),
      revenue: numberOf(Number(day.revenueMinor), currency),
      mrr: numberOf(mrrMinor(day.yearlyParts), currency)
    })),
    previous: presentMetrics(previous, currency)
  }
}

function presentMetrics(metrics: PeriodMetrics, currency: string) {
  const money = (minor: bigint | number) => numberOf(Number(minor), currency)
  const moneyOrNull = (minor: number | null) => (minor === null ? null : money(minor))
  return {
    from: metrics.from.toString(),
    to: metrics.to.toString(),
    members: {
      active: Number(metrics.membersActive),
      new: Number(metrics.membersNew),
      paused: Number(metrics.membersPaused),
      cancelled: Number(metrics.membersCancelled)
    },
    churn_rate: churnRate(metrics),
    mrr: money(mrrMinor(metrics.yearlyParts)),
    arr: money(arrMinor(metrics)),
    arpu: moneyOrNull(arpuMinor(metrics)),
    ltv: moneyOrNull(ltvMinor(metrics)),
    revenue: money(metrics.revenueMinor),
    refunds: money(metrics.refundsMinor),
    billing: {
      success: Number(metrics.chargesSucceeded),
      failed: Number(metrics.chargesFailed),
      pending: Number(metrics.chargesPending),
      success_rate: successRate(metrics),
      recovered_amount: money(metrics.recoveredMinor),
      at_risk_amount: money(metrics.atRiskMinor)
    },
    store_credits: {
      issued: money(metrics.creditIssuedMinor),
      redeemed: money(metrics.creditRedeemedMinor),
      expired: money(metrics.creditExpiredMinor),
      outstanding: money(metrics.creditOutstandingMinor)
    },
    loyalty: {
      points_issued: Number(metrics.pointsIssued),
      points_redeemed: Number(metrics.pointsRedeemed),
      coupons_issued: Number(metrics.couponsIssued)
    },
    churn: {
      offers_shown: Number(metrics.offersShown),
      offers_accepted: Number(metrics.offersAccepted),
      saved: Number(metrics.offersSaved),
      by_reason: metrics.reasons
    }
  }
}
