import type { Static } from 'typebox'
import {
  type AnalyticsOverview,
  arpuMinor,
  arrMinor,
  churnRate,
  ltvMinor,
  mrrMinor,
  type PeriodFigures,
  successRate
} from '#analytics'
import { numberOf } from '#kit/money'
import type { AnalyticsBody, PeriodBody } from '#resources'

export function presentAnalytics(
  { timezone, currency, current, previous, series }: AnalyticsOverview,
  { period, planId }: { period: Static<typeof PeriodBody>; planId: string | null }
): Static<typeof AnalyticsBody> {
  return {
    period,
    timezone,
    currency,
    plan_id: planId,
    ...presentFigures(current, currency),
    series: series.map((day) => ({
      date: day.day.toString(),
      active: Number(day.membersActive),
      new: Number(day.membersNew),
      cancelled: Number(day.membersCancelled),
      revenue: numberOf(Number(day.revenueMinor), currency),
      mrr: numberOf(mrrMinor(day.yearlyParts), currency)
    })),
    previous: presentFigures(previous, currency)
  }
}

function presentFigures(figures: PeriodFigures, currency: string) {
  const money = (minor: bigint | number) => numberOf(Number(minor), currency)
  const moneyOrNull = (minor: number | null) => (minor === null ? null : money(minor))
  return {
    from: figures.from.toString(),
    to: figures.to.toString(),
    members: {
      active: Number(figures.membersActive),
      new: Number(figures.membersNew),
      paused: Number(figures.membersPaused),
      cancelled: Number(figures.membersCancelled)
    },
    churn_rate: churnRate(figures),
    mrr: money(mrrMinor(figures.yearlyParts)),
    arr: money(arrMinor(figures)),
    arpu: moneyOrNull(arpuMinor(figures)),
    ltv: moneyOrNull(ltvMinor(figures)),
    revenue: money(figures.revenueMinor),
    refunds: money(figures.refundsMinor),
    billing: {
      success: Number(figures.chargesSucceeded),
      failed: Number(figures.chargesFailed),
      pending: Number(figures.chargesPending),
      success_rate: successRate(figures),
      recovered_amount: money(figures.recoveredMinor),
      at_risk_amount: money(figures.atRiskMinor)
    },
    store_credits: {
      issued: money(figures.creditIssuedMinor),
      redeemed: money(figures.creditRedeemedMinor),
      expired: money(figures.creditExpiredMinor),
      outstanding: money(figures.creditOutstandingMinor)
    },
    loyalty: {
      points_issued: Number(figures.pointsIssued),
      points_redeemed: Number(figures.pointsRedeemed),
      coupons_issued: 0
    },
    churn: { offers_shown: 0, offers_accepted: 0, saved: 0, by_reason: figures.reasons }
  }
}
