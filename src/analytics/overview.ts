import { day, directSql, json, type Queries, type RowOf, row, text } from '#kit/postgres'

/** Amounts by metric. For a state, such as active members, the sum of its differences over days is the state. */
type Sums = Map<Metric, bigint>

/** A store's metrics of one period; states are those at its end. Money in minor units of the store's currency. */
export type PeriodMetrics = {
  from: Temporal.PlainDate
  to: Temporal.PlainDate
  days: number
  membersActive: bigint
  membersPaused: bigint
  membersNew: bigint
  membersCancelled: bigint
  /** Active and paused members at the start of the period. */
  membersBefore: bigint
  /** The yearly value of the active subscriptions, in parts of a minor unit: divide by YEARLY_PARTS. */
  yearlyParts: bigint
  revenueMinor: bigint
  refundsMinor: bigint
  chargesSucceeded: bigint
  chargesFailed: bigint
  chargesPending: bigint
  recoveredMinor: bigint
  atRiskMinor: bigint
  creditIssuedMinor: bigint
  creditRedeemedMinor: bigint
  creditExpiredMinor: bigint
  creditOutstandingMinor: bigint
  pointsIssued: bigint
  pointsRedeemed: bigint
  couponsIssued: bigint
  /** Of the whole store only: nobody knows to whom an offer was shown. */
  offersShown: bigint
  offersAccepted: bigint
  /** Of those that were accepted in the period, how many have a contract that has not ended. */
  offersSaved: bigint
  /** Subscriptions that ended in the period by reason, the most frequent first. */
  reasons: { reason: string; count: number }[]
}

export type DayMetrics = {
  day: Temporal.PlainDate
  membersActive: bigint
  membersNew: bigint
  membersCancelled: bigint
  revenueMinor: bigint
  yearlyParts: bigint
}

export type AnalyticsOverview = {
  timezone: string
  currency: string
  current: PeriodMetrics
  previous: PeriodMetrics
  /** Every day of the current period, the oldest first. */
  series: DayMetrics[]
}

/** The least common multiple of 1 to 28, as in `yearly_value` of the schema: keeps sums over all intervals exact. */
export const YEARLY_PARTS = 80_313_433_200n

/** How many reasons are returned; the rarest are left out. */
const MAX_REASONS = 10

/** The columns of `daily_metrics`, as the schema describes them. */
const METRICS = [
  'members_active',
  'members_paused',
  'members_new',
  'members_cancelled',
  'yearly_value',
  'at_risk',
  'charges_pending',
  'charges_succeeded',
  'charges_failed',
  'recovered',
  'revenue',
  'refunds',
  'credit_balance',
  'credit_issued',
  'credit_redeemed',
  'credit_expired',
  'points_issued',
  'points_redeemed',
  'coupons_issued',
  'offers_shown',
  'offers_accepted',
  'offers_saved'
] as const
type Metric = (typeof METRICS)[number]

/** Metrics whose sum over all days is a state. */
const STATES = [
  'members_active',
  'members_paused',
  'yearly_value',
  'at_risk',
  'charges_pending',
  'credit_balance'
] as const satisfies Metric[]

/** Metrics that are returned for each day. */
const DAILY = [
  'members_active',
  'members_new',
  'members_cancelled',
  'revenue',
  'yearly_value'
] as const satisfies Metric[]

// Amounts are text in JSON: they may be larger than 2^53.
type Amounts = Partial<Record<Metric, string>>

const OverviewRow = row({
  today: day,
  timezone: text,
  currency: text,
  totals: json<Amounts>(),
  parts: json<Partial<Record<'later' | 'current' | 'previous', Amounts>>>(),
  days: json<[daysAgo: number, ...amounts: string[]][]>(),
  reasons: json<[part: string, reason: string, count: number][]>()
})

const list = (metrics: readonly Metric[], of: (metric: Metric) => string) => metrics.map(of).join(', ')
const sumOf = (metric: Metric) =>
  `coalesce(sum(amount) filter (where metric = '${metric}'), 0)::${metric === 'yearly_value' ? 'numeric' : 'bigint'}`

// Rolled-up and waiting changes in the snapshot of one statement: exact as of the last commit. It reads two periods of days and
// the totals, never the days before: states are counted back from the totals.
const overview = directSql<[storeId: number, planId: number, days: number]>(
  'analytics_overview',
  `with store as materialized (
     select timezone, currency, (coalesce(clock_at, clock_timestamp()) at time zone timezone)::date as today
       from stores where store_id = $1),
   waiting as materialized (
     select day, metric, detail, amount from metric_changes
      where store_id = $1 and id > rolled_up_to($1, 'metrics') and ($2::bigint = 0 or plan_id = $2)),
   recent as materialized (
     select (select today from store) - day as days_ago, ${list(METRICS, (f) => f)} from daily_metrics
      where store_id = $1 and plan_id = $2 and day > (select today from store) - 2 * $3::int
     union all
     select (select today from store) - day, ${list(METRICS, sumOf)} from waiting
      where day > (select today from store) - 2 * $3 group by day),
   parts as (
     select case when days_ago < 0 then 'later' when days_ago < $3 then 'current' else 'previous' end as part,
            jsonb_build_object(${list(METRICS, (f) => `'${f}', sum(${f})::text`)}) as amounts
       from recent group by 1),
   totals as (
     select metric, sum(amount)::text as amount
       from (select metric, amount from metric_totals where store_id = $1 and plan_id = $2
             union all select metric, amount from waiting) a
      where metric in (${list(STATES, (f) => `'${f}'`)}) group by metric),
   reasons as (
     select case when (select today from store) - day < $3 then 'current' else 'previous' end as part, reason,
            sum(cancellations) as cancellations
       from (select day, reason, cancellations from daily_cancellations
              where store_id = $1 and plan_id = $2 and day > (select today from store) - 2 * $3
             union all
             select day, detail, amount from waiting
              where metric = 'cancellations' and day > (select today from store) - 2 * $3) c
      group by 1, 2)
   select today, timezone, currency,
          coalesce((select jsonb_object_agg(metric, amount) from totals), '{}') as totals,
          coalesce((select jsonb_object_agg(part, amounts) from parts), '{}') as parts,
          coalesce((select jsonb_agg(jsonb_build_array(days_ago, ${list(DAILY, (f) => `${f}::text`)})) from recent
                     where days_ago between 0 and $3 - 1), '[]') as days,
          coalesce((select jsonb_agg(jsonb_build_array(part, reason, cancellations)) from reasons), '[]') as reasons
     from store`
)

/** No plan has this number: nothing matches it. */
const NO_PLAN = -1

/**
 * The metrics of the last `days` shop-local days, including today, and of as many days before. `planId` limits them to one plan;
 * null is a plan that does not exist. docs/analytics.md defines each metric.
 */
export async function analyticsOverview(
  direct: Queries,
  storeId: number,
  { days, planId = 0 }: { days: number; planId?: number | null }
): Promise<AnalyticsOverview> {
  const found = await direct.one(OverviewRow, overview(storeId, planId ?? NO_PLAN, days))
  const [current, previous] = [amountsOf(found.parts.current), amountsOf(found.parts.previous)]
  const atEnd = minus(amountsOf(found.totals), amountsOf(found.parts.later))
  const between = minus(atEnd, current)
  const before = minus(between, previous)
  const from = found.today.subtract({ days: days - 1 })
  const reasonsOf = (wanted: string) =>
    found.reasons.filter(([part]) => part === wanted).map(([, reason, count]) => ({ reason, count }))
  return {
    timezone: found.timezone,
    currency: found.currency,
    current: periodOf(from, days, { before: between, within: current, after: atEnd }, reasonsOf('current')),
    previous: periodOf(
      from.subtract({ days }),
      days,
      { before, within: previous, after: between },
      reasonsOf('previous')
    ),
    series: seriesOf(found, days, between)
  }
}

function amountsOf(amounts: Amounts = {}): Sums {
  return new Map(Object.entries(amounts).map(([metric, amount]) => [metric as Metric, BigInt(amount)]))
}

function minus(a: Sums, b: Sums): Sums {
  return new Map(STATES.map((metric) => [metric, (a.get(metric) ?? 0n) - (b.get(metric) ?? 0n)]))
}

function periodOf(
  from: Temporal.PlainDate,
  days: number,
  { before, within, after }: Record<'before' | 'within' | 'after', Sums>,
  reasons: PeriodMetrics['reasons']
): PeriodMetrics {
  const flow = (metric: Metric) => within.get(metric) ?? 0n
  const state = (metric: (typeof STATES)[number]) => after.get(metric) ?? 0n
  return {
    from,
    to: from.add({ days: days - 1 }),
    days,
    membersActive: state('members_active'),
    membersPaused: state('members_paused'),
    membersNew: flow('members_new'),
    membersCancelled: flow('members_cancelled'),
    membersBefore: (before.get('members_active') ?? 0n) + (before.get('members_paused') ?? 0n),
    yearlyParts: state('yearly_value'),
    revenueMinor: flow('revenue'),
    refundsMinor: flow('refunds'),
    chargesSucceeded: flow('charges_succeeded'),
    chargesFailed: flow('charges_failed'),
    chargesPending: state('charges_pending'),
    recoveredMinor: flow('recovered'),
    atRiskMinor: state('at_risk'),
    creditIssuedMinor: flow('credit_issued'),
    creditRedeemedMinor: flow('credit_redeemed'),
    creditExpiredMinor: flow('credit_expired'),
    creditOutstandingMinor: state('credit_balance'),
    pointsIssued: flow('points_issued'),
    pointsRedeemed: flow('points_redeemed'),
    couponsIssued: flow('coupons_issued'),
    offersShown: flow('offers_shown'),
    offersAccepted: flow('offers_accepted'),
    offersSaved: flow('offers_saved'),
    reasons: reasons
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
      .slice(0, MAX_REASONS)
  }
}

function seriesOf(found: RowOf<typeof OverviewRow>, days: number, before: Sums): DayMetrics[] {
  const nothing = DAILY.map(() => 0n)
  const byDaysAgo = new Map<number, bigint[]>()
  // A day is there twice when some of its changes wait to be rolled up.
  for (const [daysAgo, ...amounts] of found.days) {
    const sofar = byDaysAgo.get(daysAgo) ?? nothing
    byDaysAgo.set(
      daysAgo,
      sofar.map((sum, i) => sum + BigInt(amounts[i]!))
    )
  }
  let membersActive = before.get('members_active') ?? 0n
  let yearlyParts = before.get('yearly_value') ?? 0n
  return Array.from({ length: days }, (_, i) => {
    const daysAgo = days - 1 - i
    const [active, fresh, cancelled, revenue, yearly] = byDaysAgo.get(daysAgo) ?? nothing
    membersActive += active!
    yearlyParts += yearly!
    return {
      day: found.today.subtract({ days: daysAgo }),
      membersActive,
      membersNew: fresh!,
      membersCancelled: cancelled!,
      revenueMinor: revenue!,
      yearlyParts
    }
  })
}
