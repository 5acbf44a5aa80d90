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

/** The same for a period and for the one before it. */
const Metrics = {
  from: Day("The first day of the period, on the shop's calendar"),
  to: Day('The last day of the period, inclusive'),
  members: closed(
    {
      active: Count('Members who are active at the end of the period'),
      new: Count('Customers who became members in the period'),
      paused: Count('Members who are paused at the end of the period'),
      cancelled: Count('Members who left in the period: their last live subscription ended')
    },
    'People, not subscriptions'
  ),
  churn_rate: OrNull(
    Type.Number({
      description:
        'Members who left in the period, divided by those active or paused when it began; 0.05 is 5 %. Null when there was no one'
    })
  ),
  mrr: Money('Monthly recurring revenue at the end of the period, without trials and paused subscriptions'),
  arr: Money('Annual recurring revenue at the end of the period'),
  arpu: OrNull(Money('`mrr` per active member; null without active members')),
  ltv: OrNull(Money('`arpu` divided by the churn of a month; null when no one left')),
  revenue: Money("Checkouts in which subscriptions began, and successful renewals; refunds aren't taken off"),
  refunds: Money('What was paid back of such orders, on the day that the platform told it'),
  billing: closed(
    {
      success: Count('Attempts that succeeded in the period'),
      failed: Count('Attempts that were declined in the period'),
      pending: Count('Attempts whose outcome was open at the end of the period'),
      success_rate: OrNull(
        Type.Number({ description: '`success` of `success` and `failed`, 0 to 1; null when there is none' })
      ),
      recovered_amount: Money('Charged in the period after at least one decline of the same cycle'),
      at_risk_amount: Money('What subscriptions that are active after a decline owe at the end of the period')
    },
    'Renewals; the first payment is the checkout'
  ),
  store_credits: closed(
    {
      issued: Money('Credit given in the period, by whatever way, redemptions given back included'),
      redeemed: Money('Credit used or deducted in the period'),
      expired: Money('Credit that expired in the period'),
      outstanding: Money('The balance of all customers at the end of the period')
    },
    'Store credit'
  ),
  loyalty: closed(
    {
      points_issued: Count('Points given in the period'),
      points_redeemed: Count('Points used or taken back in the period'),
      coupons_issued: Count('Always 0 today')
    },
    'Loyalty points'
  ),
  churn: closed(
    {
      offers_shown: Count('Always 0 today'),
      offers_accepted: Count('Always 0 today'),
      saved: Count('Always 0 today'),
      by_reason: Type.Array(
        closed(
          {
            reason: Type.String({ description: 'As `cancel_reason` of the subscriptions' }),
            count: Count('How many subscriptions ended for it')
          },
          'A reason'
        ),
        { description: 'Why subscriptions ended in the period: the ten most frequent reasons, the first one first' }
      )
    },
    'Cancellations, and what was done against them'
  )
}

const SeriesDay = closed(
  {
    date: Day("A day on the shop's calendar"),
    active: Count('Members who are active at its end'),
    new: Count('Customers who became members on it'),
    cancelled: Count('Members who left on it'),
    revenue: Money('As `revenue`, of the day'),
    mrr: Money('As `mrr`, at its end')
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
  loyalty: { points_issued: 1595, points_redeemed: 200, coupons_issued: 0 },
  churn: { offers_shown: 0, offers_accepted: 0, saved: 0, by_reason: [{ reason: 'too_expensive', count: 1 }] }
}

export const AnalyticsBody = Type.Object(
  {
    period: PeriodBody,
    timezone: Type.String({ description: "The store's IANA time zone, in which days are told" }),
    currency: Type.String({ description: 'ISO 4217, of every amount here' }),
    plan_id: OrNull(Type.String({ description: 'The plan asked for; null for the whole store' })),
    ...Metrics,
    series: Type.Array(SeriesDay, { description: 'Every day of the period, the oldest first' }),
    previous: closed(Metrics, 'The same figures for the period before')
  },
  {
    additionalProperties: false,
    title: 'AnalyticsOverview',
    description: 'How the store, or one plan of it, is doing. docs/analytics.md defines each figure.',
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
