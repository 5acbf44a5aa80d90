import { type Database, day, directSql, json, type RowOf, row, text } from '#kit/postgres'

/** A state, such as active members, is the sum of its differences over all days up to then. */
type Sums = Map<string, bigint>

/** What a store's figures come to in one period; states are those at its end. Money in minor units of the store. */
export type PeriodFigures = {
  from: Temporal.PlainDate
  to: Temporal.PlainDate
  days: number
  membersActive: bigint
  membersPaused: bigint
  membersNew: bigint
  membersCancelled: bigint
  /** Active and paused members when the period began. */
  membersBefore: bigint
  /** What subscriptions bring in a year, in parts of a minor unit: divide by YEARLY_PARTS. */
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
  /** Subscriptions that ended in the period by reason, the most frequent first. */
  reasons: { reason: string; count: number }[]
}

export type DayFigures = {
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
  current: PeriodFigures
  previous: PeriodFigures
  /** Every day of the current period, the oldest first. */
  series: DayFigures[]
}

/** The least common multiple of 1 to 28, as in `yearly_value` of the schema: keeps sums over all intervals exact. */
export const YEARLY_PARTS = 80_313_433_200n

/** How many reasons are told; the rest of them are left out. */
const MOST_REASONS = 10

type Cell = [figure: string, detail: string, amount: string]

const Answer = row({
  today: day,
  timezone: text,
  currency: text,
  // Amounts travel as text: they may be beyond 2^53.
  totals: json<Cell[]>(),
  later: json<Cell[]>(),
  current: json<Cell[]>(),
  previous: json<Cell[]>(),
  days: json<[daysAgo: number, figure: string, amount: string][]>()
})

// Folded and not yet folded, in the snapshot of one statement: exact as of the last commit. It reads two periods of days
// and the totals, never the days before: states are counted back from the totals.
const overview = directSql<[storeId: number, planId: number, days: number]>(
  'analytics_overview',
  `with store as materialized (
     select timezone, currency, (coalesce(clock_at, clock_timestamp()) at time zone timezone)::date as today
       from stores where store_id = $1),
   waiting as materialized (
     select day, figure, detail, amount from figure_changes where store_id = $1 and ($2::bigint = 0 or plan_id = $2)),
   recent as materialized (
     select day, figure, detail, amount from daily_figures
      where store_id = $1 and plan_id = $2 and day > (select today from store) - 2 * $3::int
     union all
     select day, figure, detail, amount from waiting where day > (select today from store) - 2 * $3),
   sums as (
     select case when r.day > s.today then 'later' when r.day > s.today - $3 then 'current' else 'previous' end as part,
            r.figure, r.detail, sum(r.amount) as amount
       from recent r cross join store s group by 1, 2, 3
     union all
     select 'totals', a.figure, a.detail, sum(a.amount)
       from (select figure, detail, amount from figure_totals
              where store_id = $1 and plan_id = $2 and figure <> 'cancellations'
             union all
             select figure, detail, amount from waiting) a
      group by 2, 3),
   parts as (
     select part, jsonb_agg(jsonb_build_array(figure, detail, amount::text)) as cells from sums group by part),
   days as (
     select s.today - r.day as days_ago, r.figure, sum(r.amount)::text as amount
       from recent r cross join store s
      where r.day <= s.today and r.day > s.today - $3
        and r.figure in ('members_active', 'members_new', 'members_cancelled', 'revenue', 'yearly_value')
      group by 1, 2)
   select s.today, s.timezone, s.currency,
          coalesce((select cells from parts where part = 'totals'), '[]') as totals,
          coalesce((select cells from parts where part = 'later'), '[]') as later,
          coalesce((select cells from parts where part = 'current'), '[]') as current,
          coalesce((select cells from parts where part = 'previous'), '[]') as previous,
          coalesce((select jsonb_agg(jsonb_build_array(days_ago, figure, amount)) from days), '[]') as days
     from store s`
)

/** No plan has this number, so nothing matches it. */
const NO_PLAN = -1

/**
 * The figures of the last `days` shop-local days, today included, and of as many before. `planId` narrows them to one plan;
 * null is a plan that does not exist. docs/analytics.md defines each figure.
 */
export async function analyticsOverview(
  direct: Database['direct'],
  storeId: number,
  { days, planId = 0 }: { days: number; planId?: number | null }
): Promise<AnalyticsOverview> {
  const answer = await direct.one(Answer, overview(storeId, planId ?? NO_PLAN, days))
  const [totals, later, current, previous] = [answer.totals, answer.later, answer.current, answer.previous].map(sumsOf)
  const atEnd = minus(totals!, later!)
  const between = minus(atEnd, current!)
  const before = minus(between, previous!)
  const from = answer.today.subtract({ days: days - 1 })
  return {
    timezone: answer.timezone,
    currency: answer.currency,
    current: periodOf(from, days, between, current!, atEnd),
    previous: periodOf(from.subtract({ days }), days, before, previous!, between),
    series: seriesOf(answer, days, between)
  }
}

const key = (figure: string, detail = '') => `${figure}:${detail}`

function sumsOf(cells: Cell[]): Sums {
  return new Map(cells.map(([figure, detail, amount]) => [key(figure, detail), BigInt(amount)]))
}

function minus(a: Sums, b: Sums): Sums {
  const left = new Map(a)
  for (const [name, amount] of b) left.set(name, (left.get(name) ?? 0n) - amount)
  return left
}

function periodOf(from: Temporal.PlainDate, days: number, before: Sums, within: Sums, after: Sums): PeriodFigures {
  const flow = (figure: string) => within.get(key(figure)) ?? 0n
  const state = (figure: string) => after.get(key(figure)) ?? 0n
  const credit = (...types: number[]) =>
    types.reduce((sum, type) => sum + (within.get(key('credit', `${type}`)) ?? 0n), 0n)
  return {
    from,
    to: from.add({ days: days - 1 }),
    days,
    membersActive: state('members_active'),
    membersPaused: state('members_paused'),
    membersNew: flow('members_new'),
    membersCancelled: flow('members_cancelled'),
    membersBefore: (before.get(key('members_active')) ?? 0n) + (before.get(key('members_paused')) ?? 0n),
    yearlyParts: state('yearly_value'),
    revenueMinor: flow('revenue'),
    refundsMinor: flow('refunds'),
    chargesSucceeded: flow('charges_succeeded'),
    chargesFailed: flow('charges_failed'),
    chargesPending: state('charges_pending'),
    recoveredMinor: flow('recovered'),
    atRiskMinor: state('at_risk'),
    creditIssuedMinor: credit(1, 2, 5, 10, 11, 12),
    creditRedeemedMinor: -credit(3, 4),
    creditExpiredMinor: -credit(8),
    creditOutstandingMinor: [...after].reduce(
      (sum, [name, amount]) => (name.startsWith('credit:') ? sum + amount : sum),
      0n
    ),
    pointsIssued: flow('points_issued'),
    pointsRedeemed: flow('points_redeemed'),
    reasons: reasonsOf(within)
  }
}

function reasonsOf(within: Sums): PeriodFigures['reasons'] {
  const prefix = key('cancellations')
  return [...within]
    .filter(([name, count]) => name.startsWith(prefix) && count > 0n)
    .map(([name, count]) => ({ reason: name.slice(prefix.length), count: Number(count) }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
    .slice(0, MOST_REASONS)
}

function seriesOf(answer: RowOf<typeof Answer>, days: number, before: Sums): DayFigures[] {
  const cells = new Map(answer.days.map(([daysAgo, figure, amount]) => [`${daysAgo}:${figure}`, BigInt(amount)]))
  let membersActive = before.get(key('members_active')) ?? 0n
  let yearlyParts = before.get(key('yearly_value')) ?? 0n
  const series: DayFigures[] = []
  for (let daysAgo = days - 1; daysAgo >= 0; daysAgo--) {
    const of = (figure: string) => cells.get(`${daysAgo}:${figure}`) ?? 0n
    membersActive += of('members_active')
    yearlyParts += of('yearly_value')
    series.push({
      day: answer.today.subtract({ days: daysAgo }),
      membersActive,
      membersNew: of('members_new'),
      membersCancelled: of('members_cancelled'),
      revenueMinor: of('revenue'),
      yearlyParts
    })
  }
  return series
}
