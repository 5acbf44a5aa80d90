// What the tables say of the loyalty of a customer, and what a model says, in the same words.
import { type Ctx, instant, int, nullable, row, sql, text } from '#kit/postgres'
import { findCustomerLoyalty, listRulesWithProgress, RuleCache } from '#loyalty'
import { START } from './loyalty-reports.ts'
import { countedOf, type ModelledLoyalty, usedOf } from './modelled-loyalty.ts'
import { NEVER } from './modelled-points.ts'

const Found = row({
  id: int,
  memberId: int,
  source: text,
  code: text,
  status: text,
  endedBy: nullable(text),
  uses: int,
  expiresAt: nullable(instant),
  discountId: nullable(text)
})

/** All coupons of a store, oldest first. */
export const listFoundCoupons = (ctx: Ctx) =>
  ctx.tx.many(
    Found,
    sql`
    select id, member_id, coalesce('rule ' || rule_id, 'template ' || template_id) as source, code, status, ended_by, usage_count as uses,
           expires_at, platform_discount_id as discount_id
      from loyalty_coupons where store_id = ${ctx.storeId} order by id`
  )

const dayOf = (at: Temporal.Instant | null) => (at === null ? NEVER : START.until(at).total('hours') / 24)

/** So many points or coupons, by the day until which they can be used. */
function byDay(all: { endsOn: number; left: number }[]): string[] {
  const days = Map.groupBy(
    all.filter(({ left }) => left > 0),
    ({ endsOn }) => endsOn
  )
  return [...days].map(([day, ofDay]) => `${ofDay.reduce((sum, { left }) => sum + left, 0)} until ${day}`).sort()
}

/** What a customer has by the tables, and by what themes read. */
export async function foundIn(ctx: Ctx, memberId: number) {
  const { tx, storeId } = ctx
  const ledger = await tx.one(
    row({ balance: int, pending: int, lifetime: int, credit: int }),
    sql`
    select coalesce(sum(points), 0)::bigint as balance, coalesce(sum(pending_points), 0)::bigint as pending,
           coalesce(sum(lifetime_points), 0)::bigint as lifetime,
           (select coalesce(sum(amount_minor), 0)::bigint from credit_entries
             where store_id = ${storeId} and member_id = ${memberId}) as credit
      from points_entries where store_id = ${storeId} and member_id = ${memberId}`
  )
  const lots = await tx.many(
    row({ left: int, endsAt: nullable(instant) }),
    sql`
    select remaining_points as left, expires_at as ends_at from points_lots where store_id = ${storeId} and member_id = ${memberId}`
  )
  const awards = await tx.many(
    row({ ruleId: int, key: text, orderId: nullable(text), points: nullable(int) }),
    sql`
    select a.rule_id, a.key, o.platform_order_id as order_id, a.points from loyalty_awards a
      left join orders o on o.store_id = ${storeId} and a.key = 'order:' || o.id
     where a.store_id = ${storeId} and a.member_id = ${memberId} and a.reversed_at is null`
  )
  const progress = await tx.many(
    row({ ruleId: int, counted: int, rewarded: int }),
    sql`
    select rule_id, counted, rewarded from loyalty_progress
     where store_id = ${storeId} and member_id = ${memberId} and (counted > 0 or rewarded > 0)`
  )
  const coupons = (await listFoundCoupons(ctx)).filter((coupon) => coupon.memberId === memberId)
  const read = await findCustomerLoyalty(ctx, memberId)
  const rules = await listRulesWithProgress(ctx, new RuleCache(), memberId)
  return {
    ledger,
    lots: byDay(lots.map(({ left, endsAt }) => ({ left, endsOn: dayOf(endsAt) }))),
    awards: awards
      .map(({ ruleId, key, orderId, points }) => `${ruleId} ${orderId ? `order:${orderId}` : key} ${points}`)
      .sort(),
    progress: progress.map(({ ruleId, counted, rewarded }) => `${ruleId} ${counted} ${rewarded}`).sort(),
    coupons: coupons
      .map((one) => `${one.code} ${one.endedBy ?? one.status} ${one.uses} ${dayOf(one.expiresAt)}`)
      .sort(),
    read: [read.points, read.pendingPoints, read.lifetimePoints, read.couponsCount, read.completedRules],
    completion: rules.map(({ rule, completion }) => [rule.id, completion && [completion.current, completion.required]])
  }
}

/** The same by the model. */
export function modelled(model: ModelledLoyalty, person: number): Awaited<ReturnType<typeof foundIn>> {
  const { points, credit, coupons } = model.people[person]!
  const standings = model.rules.map((rule) => ({ rule, standing: model.standing(rule, person) }))
  const { balance, pending, lifetime } = points
  const usable = coupons.filter(({ endedBy, endsOn }) => endedBy === null && endsOn > model.today)
  const rewarded = ({ standing }: (typeof standings)[number]) => usedOf(standing) || standing.awards.length
  return {
    ledger: { balance, pending, lifetime, credit },
    lots: byDay(points.lots),
    awards: standings
      .flatMap(({ rule, standing }) => standing.awards.map((award) => `${rule.id} ${award.key} ${award.points}`))
      .sort(),
    progress: standings
      .map((one) => ({ ruleId: one.rule.id, counted: countedOf(one.standing), rewarded: rewarded(one) }))
      .filter(({ counted, rewarded }) => counted > 0 || rewarded > 0)
      .map(({ ruleId, counted, rewarded }) => `${ruleId} ${counted} ${rewarded}`)
      .sort(),
    coupons: coupons
      .map(({ code, endedBy, uses, endsOn }) => `${code} ${endedBy ?? 'active'} ${uses} ${endsOn}`)
      .sort(),
    read: [
      ...[balance, pending, lifetime, usable.length],
      standings.filter((one) => rewarded(one) > 0).map(({ rule }) => rule.id)
    ],
    completion: model.rules
      .filter(({ isArchived }) => !isArchived)
      .map((rule) => [rule.id, model.completion(rule, person)])
  }
}
