import { type TProperties, Type } from 'typebox'
import { OrNull } from './fields.ts'

const Day = (description: string) => Type.String({ format: 'date', description })
const Money = (description: string) => Type.Number({ description })
const Count = (description: string) => Type.Integer({ description })
const closed = <T extends TProperties>(properties: T, description: string) =>
  Type.Object(properties, { additionalProperties: false, description })

export const PeriodBody = Type.Union(
  [Type.Literal('7d'), Type.Literal('30d'), Type.Literal('90d'), Type.Literal('365d')],
  {
    description: '7d, 30d, 90d or 365d'
  }
)

/** The metrics of a period; used for the requested period and for the previous one. */
const Metrics = {
  from: Day("The first day of the period, on the shop's calendar"),
  to: Day('The last day of the period, inclusive'),
  members: closed(
    {
      active: Count('Members who are active at the end of the period'),
      new: Count('Customers who became members in the period'),
      paused: Count('Members who are paused at the end of the period'),
      cancelled: Count('Members whose last active or paused subscription ended in the period')
    },
    'People, not subscriptions'
  ),
  churn_rate: OrNull(
    Type.Number({
      description:
        '`members.cancelled` divided by the members who were active or paused at the start; 0.05 is 5 %. Null without such members'
    })
  ),
  mrr: Money('Monthly recurring revenue at the end of the period, without trials and paused subscriptions'),
  arr: Money('Annual recurring revenue at the end of the period'),
  arpu: OrNull(Money('`mrr` per active member; null without active members')),
  ltv: OrNull(Money('`arpu` divided by the monthly churn rate; null when no member left')),
  revenue: Money('Checkouts that started subscriptions, and successful renewals. Refunds are not subtracted'),
  refunds: Money('Refunds of those orders, on the day that the platform reported them'),
  billing: closed(
    {
      success: Count('Attempts that succeeded in the period'),
      failed: Count('Attempts that were declined in the period'),
      pending: Count('Attempts without an outcome at the end of the period'),
      success_rate: OrNull(
        Type.Number({ description: '`success` divided by `success` plus `failed`, 0 to 1; null when both are 0' })
      ),
      recovered_amount: Money('Charged in the period after at least one decline of the same cycle'),
      at_risk_amount: Money(
        'Unpaid amounts, at the end of the period, of subscriptions that are still active after a decline'
      )
    },
    'Renewals; the first payment is the checkout'
  ),
  store_credits: closed(
    {
      issued: Money('Credit added in the period for any reason, including restored redemptions'),
      redeemed: Money('Credit used or deducted in the period'),
      expired: Money('Credit that expired in the period'),
      outstanding: Money('The balance of all customers at the end of the period')
    },
    'Store credit'
  ),
  loyalty: closed(
    {
      points_issued: Count('Points added in the period'),
      points_redeemed: Count('Points redeemed or deducted in the period'),
      coupons_issued: Count('Coupons given in the period, without those that the platform refused')
    },
    'Loyalty points'
  ),
  churn: closed(
    {
      offers_shown: Count(
        'How often offers were shown to people who cancel; 0 for one plan, since nobody knows to whom they were shown'
      ),
      offers_accepted: Count('Offers that were accepted in the period'),
      saved: Count('Those of them whose contract has not ended until now'),
      by_reason: Type.Array(
        closed(
          {
            reason: Type.String({ description: 'As `cancel_reason` of the subscriptions' }),
            count: Count('Number of subscriptions that ended for this reason')
          },
          'A reason'
        ),
        { description: 'Why subscriptions ended in the period: the ten most frequent reasons, most frequent first' }
      )
    },
    'Cancellations and retention offers'
  )
}

const SeriesDay = closed(
  {
    date: Day("A day on the shop's calendar"),
    active: Count('Active members at the end of the day'),
    new: Count('Customers who became members on that day'),
    cancelled: Count('Members who left on that day'),
    revenue: Money('`revenue` of the day'),
    mrr: Money('`mrr` at the end of the day')
  },
  'A day'
)

const previousExample = {
  from: '2026-11-05',
  to: '2026-12-04',
  members: { active: 57, new: 8, paused: 2, cancelled: 1 },
  churn_rate: 0.0192,
  mrr: 1653,
  arr: 19836,
  arpu: 29,
  ltv: 1487.34,
  revenue: 1595,
  refunds: 0,
  billing: { success: 47, failed: 3, pending: 0, success_rate: 0.94, recovered_amount: 58, at_risk_amount: 29 },
  store_credits: { issued: 120, redeemed: 45.5, expired: 0, outstanding: 310 },
  loyalty: { points_issued: 1595, points_redeemed: 200, coupons_issued: 12 },
  churn: { offers_shown: 14, offers_accepted: 3, saved: 2, by_reason: [{ reason: 'too_expensive', count: 1 }] }
}

export const AnalyticsBody = Type.Object(
  {
    period: PeriodBody,
    timezone: Type.String({ description: "The store's IANA time zone; days are days in this zone" }),
    currency: Type.String({ description: 'ISO 4217 code of every amount' }),
    plan_id: OrNull(Type.String({ description: 'The requested plan; null for the whole store' })),
    ...Metrics,
    series: Type.Array(SeriesDay, { description: 'Every day of the period, oldest first' }),
    previous: closed(Metrics, 'The same metrics for the previous period')
  },
  {
    additionalProperties: false,
    title: 'AnalyticsOverview',
    description: 'Key metrics of the store or of one plan. docs/analytics.md defines each of them.',
    examples: [
      {
        period: '30d',
        timezone: 'America/New_York',
        currency: 'USD',
        plan_id: null,
        ...previousExample,
        from: '2026-12-05',
        to: '2027-01-03',
        series: [
          { date: '2026-12-05', active: 57, new: 1, cancelled: 0, revenue: 87, mrr: 1653 },
          { date: '2026-12-06', active: 57, new: 0, cancelled: 0, revenue: 58, mrr: 1653 }
        ],
        previous: previousExample
      }
    ]
  }
)
