// The expected overview, calculated in a simple way from raw rows: it reads every row at the end of each day, and
// sums over all rows for a period. It shares no code with the maintained metrics.
import { type Ctx, instant, int, nullable, row, sql, text } from '#kit/postgres'

type Day = string
type State = {
  members: Map<number, { status: string; plan: number | null; since: Day }>
  subscriptions: { plan: number | null; monthly: Fraction; risk: number }[]
  refunded: Map<number, number>
}
type Fraction = [bigint, bigint]

/** Final states of attempts that were neither paid nor declined. */
const UNSENT = new Set(['voided', 'superseded'])

const PER_YEAR = { day: 365n, week: 52n, month: 12n, year: 1n } as const

const Members = row({ id: int, status: text, planId: nullable(int), memberSince: instant })
const Subscriptions = row({
  planId: nullable(int),
  status: text,
  priceMinor: int,
  interval: text,
  intervalCount: int,
  trialEndsAt: nullable(instant),
  declines: int
})
const SubscriptionOrders = row({
  id: int,
  planId: nullable(int),
  totalMinor: int,
  refundedMinor: int,
  processedAt: instant,
  first: int
})
const Attempts = row({
  subscriptionId: int,
  cycleIndex: int,
  planId: nullable(int),
  status: text,
  errorCode: nullable(text),
  amountMinor: int,
  createdAt: instant,
  completedAt: nullable(instant)
})
const Entries = row({ memberId: int, id: int, type: int, amountMinor: int, createdAt: instant })
const Points = row({ memberId: int, id: int, points: int, createdAt: instant })
const Endings = row({ subscription: text, reason: text, planId: nullable(int), occurredAt: instant })

export class Oracle {
  readonly #zone: string
  readonly #decimals: number
  readonly #states = new Map<Day, State>()
  readonly #days = new Map<number, Day>()
  readonly #entryPlans = new Map<string, number | null>()

  constructor(zone: string, decimals: number) {
    this.#zone = zone
    this.#decimals = decimals
  }

  dayOf(at: Temporal.Instant): Day {
    // Cached: a period uses the same few hundred instants for every day.
    let day = this.#days.get(at.epochMilliseconds)
    if (day === undefined) {
      day = at.toZonedDateTimeISO(this.#zone).toPlainDate().toString()
      this.#days.set(at.epochMilliseconds, day)
    }
    return day
  }

  /** Call at the end of every day, and after each change of the ledgers. */
  async look(ctx: Ctx): Promise<void> {
    const today = this.dayOf(ctx.now)
    const members = await ctx.tx.many(
      Members,
      sql`select id, status, plan_id, member_since from members where store_id = ${ctx.storeId} and status is not null`
    )
    const subscriptions = await ctx.tx.many(
      Subscriptions,
      sql`select * from subscriptions where store_id = ${ctx.storeId}`
    )
    const orders = await this.#orders(ctx)
    this.#states.set(today, {
      members: new Map(
        members.map((m) => [m.id, { status: m.status, plan: m.planId, since: this.dayOf(m.memberSince) }])
      ),
      subscriptions: subscriptions
        .filter((s) => s.status === 'active')
        .map((s) => ({
          plan: s.planId,
          monthly:
            s.trialEndsAt && this.dayOf(s.trialEndsAt) > today
              ? [0n, 1n]
              : [BigInt(s.priceMinor) * PER_YEAR[s.interval as keyof typeof PER_YEAR], 12n * BigInt(s.intervalCount)],
          risk: s.declines > 0 ? s.priceMinor : 0
        })),
      refunded: new Map(orders.map((o) => [o.id, o.refundedMinor]))
    })
    const planOf = new Map(members.map((m) => [m.id, m.planId]))
    for (const e of await this.#entries(ctx)) {
      const key = `credit ${e.id}`
      if (!this.#entryPlans.has(key)) this.#entryPlans.set(key, planOf.get(e.memberId) ?? null)
    }
    for (const e of await this.#points(ctx)) {
      const key = `points ${e.id}`
      if (!this.#entryPlans.has(key)) this.#entryPlans.set(key, planOf.get(e.memberId) ?? null)
    }
  }

  #entries = (ctx: Ctx) =>
    ctx.tx.many(
      Entries,
      sql`select member_id, id, type::int, amount_minor, created_at from credit_entries where store_id = ${ctx.storeId}`
    )
  #points = (ctx: Ctx) =>
    ctx.tx.many(
      Points,
      sql`select member_id, id, points, created_at from points_entries where store_id = ${ctx.storeId}`
    )

  #coupons = (ctx: Ctx) =>
    ctx.tx.many(
      row({ planId: nullable(int), createdAt: instant }),
      sql`
      select plan_id, created_at from loyalty_coupons
       where store_id = ${ctx.storeId} and (ended_by is null or ended_by <> 'refused')`
    )

  #shown = (ctx: Ctx) =>
    ctx.tx.many(
      row({ day: text, times: int, offerId: int }),
      sql`select day::text as day, times, offer_id from churn_shown where store_id = ${ctx.storeId}`
    )

  /** Accepted offers with the plan and the status of their subscriptions. */
  #offers = (ctx: Ctx) =>
    ctx.tx.many(
      row({ planId: nullable(int), status: text, acceptedAt: instant }),
      sql`
      select s.plan_id, s.status, o.accepted_at
        from contract_offers o join subscriptions s on s.store_id = o.store_id and s.id = o.subscription_id
       where o.store_id = ${ctx.storeId}`
    )

  #orders = (ctx: Ctx) =>
    ctx.tx.many(
      SubscriptionOrders,
      sql`
      select o.id, s.plan_id, o.total_minor, o.refunded_minor, o.processed_at, 1 as first
        from orders o join subscriptions s on s.store_id = o.store_id and s.origin_order_id = o.id
       where o.store_id = ${ctx.storeId}
      union all
      select o.id, s.plan_id, o.total_minor, o.refunded_minor, o.processed_at, 0
        from orders o join billing_attempts a on a.store_id = o.store_id and a.order_id = o.id
        join subscriptions s on s.store_id = o.store_id and s.id = a.subscription_id
       where o.store_id = ${ctx.storeId}`
    )

  /** The metrics of the days `from` to `to`, in the API's format. */
  async metrics(ctx: Ctx, from: Day, to: Day, planId: number | null) {
    const within = (day: Day) => day >= from && day <= to
    const ofPlan = (plan: number | null) => planId === null || plan === planId
    const days = daysBetween(from, to)
    const before = this.#stateOf(minusDays(from, 1))
    const after = this.#stateOf(to)
    const people = (state: State | undefined, ...statuses: string[]) =>
      [...(state?.members.values() ?? [])].filter((m) => ofPlan(m.plan) && statuses.includes(m.status)).length
    const joined = (day: Day) =>
      [...(this.#stateOf(day)?.members.values() ?? [])].filter((m) => m.since === day && ofPlan(m.plan)).length
    const left = (day: Day) => {
      const yesterday = this.#stateOf(minusDays(day, 1))
      return [...(this.#stateOf(day)?.members ?? [])].filter(([id, m]) => {
        const was = yesterday?.members.get(id)
        return m.status === 'cancelled' && was !== undefined && was.status !== 'cancelled' && ofPlan(was.plan)
      }).length
    }
    const attempts = (
      await ctx.tx.many(
        Attempts,
        sql`select a.*, s.plan_id from (select subscription_id, cycle_index, status, error_code, amount_minor, created_at, completed_at
                from billing_attempts where store_id = ${ctx.storeId} order by id) a
              join subscriptions s on s.store_id = ${ctx.storeId} and s.id = a.subscription_id`
      )
    ).filter((a) => ofPlan(a.planId))
    const ended = attempts.filter((a) => a.completedAt && within(this.dayOf(a.completedAt)))
    const success = ended.filter((a) => a.status === 'success')
    const failed = ended.filter((a) => a.status === 'failed' && !UNSENT.has(a.errorCode!))
    const recovered = success.filter((a) =>
      attempts.some(
        (b) =>
          b.subscriptionId === a.subscriptionId &&
          b.cycleIndex === a.cycleIndex &&
          b.status === 'failed' &&
          !UNSENT.has(b.errorCode!)
      )
    )
    const orders = (await this.#orders(ctx)).filter((o) => ofPlan(o.planId))
    const revenueOf = (day: Day) =>
      sum(orders.filter((o) => o.first === 1 && this.dayOf(o.processedAt) === day).map((o) => o.totalMinor)) +
      sum(success.filter((a) => this.dayOf(a.completedAt!) === day).map((a) => a.amountMinor))
    const refunds = sum(orders.map((o) => (after?.refunded.get(o.id) ?? 0) - (before?.refunded.get(o.id) ?? 0)))
    const entries = (await this.#entries(ctx)).filter((e) => ofPlan(this.#entryPlans.get(`credit ${e.id}`) ?? null))
    const points = (await this.#points(ctx)).filter(
      (e) => ofPlan(this.#entryPlans.get(`points ${e.id}`) ?? null) && within(this.dayOf(e.createdAt))
    )
    const credit = (...types: number[]) =>
      sum(entries.filter((e) => types.includes(e.type) && within(this.dayOf(e.createdAt))).map((e) => e.amountMinor))
    const endings = (
      await ctx.tx.many(
        Endings,
        sql`
        select e.refs ->> 'subscriptionId' as subscription, e.data::jsonb ->> 'cancel_reason' as reason, s.plan_id, e.occurred_at
          from facts e join subscriptions s on s.store_id = e.store_id and s.id = (e.refs ->> 'subscriptionId')::bigint
         where e.store_id = ${ctx.storeId} and e.name = 'subscription.cancelled' order by e.id`
      )
    ).filter((e, i, all) => all.findIndex((f) => f.subscription === e.subscription) === i)
    const reasons = Map.groupBy(
      endings.filter((e) => ofPlan(e.planId) && within(this.dayOf(e.occurredAt))),
      (e) => e.reason
    )
    const monthly = (state: State | undefined) =>
      (state?.subscriptions ?? [])
        .filter((s) => ofPlan(s.plan))
        .reduce<Fraction>((a, s) => plus(a, s.monthly), [0n, 1n])
    const offers = (await this.#offers(ctx)).filter((o) => ofPlan(o.planId) && within(this.dayOf(o.acceptedAt)))
    const shown = (await this.#shown(ctx)).filter((s) => planId === null && s.offerId !== 0 && within(s.day))
    const mrr = monthly(after)
    const active = people(after, 'active')
    const lost = sum(days.map(left))
    const base = people(before, 'active', 'paused')
    const money = (minor: number) => Number((minor / 10 ** this.#decimals).toFixed(this.#decimals))
    const rounded = ([a, b]: Fraction) => money(Number((a * 2n + b) / (b * 2n)))
    const share = (a: number, b: number) => (b === 0 ? null : Math.round((a / b) * 10_000) / 10_000)
    return {
      from,
      to,
      members: {
        active,
        new: sum(days.map(joined)),
        paused: people(after, 'paused'),
        cancelled: lost
      },
      churn_rate: share(lost, base),
      mrr: rounded(mrr),
      arr: rounded([mrr[0] * 12n, mrr[1]]),
      arpu: active === 0 ? null : rounded([mrr[0], mrr[1] * BigInt(active)]),
      ltv:
        active === 0 || lost === 0 || base === 0
          ? null
          : rounded([mrr[0] * BigInt(base * 12 * days.length), mrr[1] * BigInt(active * lost * 365)]),
      revenue: money(sum(days.map(revenueOf))),
      refunds: money(refunds),
      billing: {
        success: success.length,
        failed: failed.length,
        pending: attempts.filter(
          (a) => this.dayOf(a.createdAt) <= to && (a.completedAt === null || this.dayOf(a.completedAt) > to)
        ).length,
        success_rate: share(success.length, success.length + failed.length),
        recovered_amount: money(sum(recovered.map((a) => a.amountMinor))),
        at_risk_amount: money(sum((after?.subscriptions ?? []).filter((s) => ofPlan(s.plan)).map((s) => s.risk)))
      },
      store_credits: {
        issued: money(credit(1, 2, 10, 11, 12)),
        redeemed: money(0 - credit(4, 5)),
        expired: money(0 - credit(8)),
        outstanding: money(sum(entries.filter((e) => this.dayOf(e.createdAt) <= to).map((e) => e.amountMinor)))
      },
      loyalty: {
        points_issued: sum(points.filter((p) => p.points > 0).map((p) => p.points)),
        points_redeemed: 0 - sum(points.filter((p) => p.points < 0).map((p) => p.points)),
        coupons_issued: (await this.#coupons(ctx)).filter((c) => ofPlan(c.planId) && within(this.dayOf(c.createdAt)))
          .length
      },
      churn: {
        offers_shown: sum(shown.map(({ times }) => times)),
        offers_accepted: offers.length,
        saved: offers.filter(({ status }) => status === 'active' || status === 'paused').length,
        by_reason: [...reasons]
          .map(([reason, { length: count }]) => ({ reason, count }))
          .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
          .slice(0, 10)
      },
      series: days.map((date) => {
        const state = this.#stateOf(date)
        return {
          date,
          active: people(state, 'active'),
          new: joined(date),
          cancelled: left(date),
          revenue: money(revenueOf(date)),
          mrr: rounded(monthly(state))
        }
      })
    }
  }

  /** The last snapshot on or before a day. */
  #stateOf(day: Day): State | undefined {
    const seen = [...this.#states.keys()]
      .filter((d) => d <= day)
      .sort()
      .at(-1)
    return seen === undefined ? undefined : this.#states.get(seen)
  }
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0)
const minusDays = (day: Day, days: number) => Temporal.PlainDate.from(day).subtract({ days }).toString()

function plus(a: Fraction, b: Fraction): Fraction {
  const [top, bottom] = [a[0] * b[1] + b[0] * a[1], a[1] * b[1]]
  const by = gcd(top < 0n ? -top : top, bottom)
  return [top / by, bottom / by]
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b)
}

function daysBetween(from: Day, to: Day): Day[] {
  const length = Temporal.PlainDate.from(from).until(to).days + 1
  return Array.from({ length }, (_, i) => Temporal.PlainDate.from(from).add({ days: i }).toString())
}
