// What the tables say of the loyalty of a customer, and what a model says, in the same words.
import { type Ctx, instant, int, nullable, row, sql, text } from '#kit/postgres'
import { findCustomerLoyalty, listRulesWithProgress, listTierTags, type RuleCache } from '#loyalty'
import { countedOf, type ModelledLoyalty, usedOf } from './modelled-loyalty.ts'
import { NEVER } from './modelled-points.ts'
import { pointsForNext, START } from './modelled-tiers.ts'

const FoundCoupon = row({
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
    FoundCoupon,
    sql`
    select id, member_id, coalesce('rule ' || rule_id, 'template ' || template_id, 'tier ' || tier_id) as source, code, status, ended_by, usage_count as uses,
           expires_at, platform_discount_id as discount_id
      from loyalty_coupons where store_id = ${ctx.storeId} order by id`
  )

/** What consumers have failed on. */
export const listFailures = (ctx: Ctx) =>
  ctx.tx.many(
    row({ consumer: text, name: text, error: text }),
    sql`
    select consumer, name, last_error as error from fact_retries
     where store_id = ${ctx.storeId} and last_error is not null order by position`
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

/** What customers have by the tables, and by what themes read. */
export async function foundIn(ctx: Ctx, cache: RuleCache, memberIds: number[]) {
  const { tx, storeId } = ctx
  const ledgers = await tx.many(
    row({ memberId: int, balance: int, pending: int, lifetime: int, credit: int }),
    sql`
    select m.id as member_id, p.balance, p.pending, p.lifetime, c.credit
      from unnest(${memberIds}::bigint[]) as m(id)
     cross join lateral (
       select coalesce(sum(points), 0)::bigint as balance, coalesce(sum(pending_points), 0)::bigint as pending,
              coalesce(sum(lifetime_points), 0)::bigint as lifetime
         from points_entries where store_id = ${storeId} and member_id = m.id) p
     cross join lateral (
       select coalesce(sum(amount_minor), 0)::bigint as credit from credit_entries where store_id = ${storeId} and member_id = m.id) c`
  )
  const lots = await tx.many(
    row({ memberId: int, left: int, endsAt: nullable(instant) }),
    sql`
    select member_id, remaining_points as left, expires_at as ends_at from points_lots
     where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])`
  )
  const awards = await tx.many(
    row({ memberId: int, ruleId: int, key: text, orderId: nullable(text), points: nullable(int) }),
    sql`
    select a.member_id, a.rule_id, a.key, o.platform_order_id as order_id, a.points from loyalty_awards a
      left join orders o on o.store_id = ${storeId} and a.key = 'order:' || o.id
     where a.store_id = ${storeId} and a.member_id = any(${memberIds}::bigint[]) and a.reversed_at is null`
  )
  const progress = await tx.many(
    row({ memberId: int, ruleId: int, counted: int, rewarded: int }),
    sql`
    select member_id, rule_id, counted, rewarded from loyalty_progress
     where store_id = ${storeId} and member_id = any(${memberIds}::bigint[]) and (counted > 0 or rewarded > 0)`
  )
  const coupons = await listFoundCoupons(ctx)
  const tags = await listTierTags(ctx, memberIds)
  const found: Found[] = []
  for (const memberId of memberIds) {
    const isOf = (one: { memberId: number }) => one.memberId === memberId
    const { memberId: _, ...ledger } = ledgers.find(isOf)!
    const read = await findCustomerLoyalty(ctx, memberId)
    const rules = await listRulesWithProgress(ctx, cache, memberId)
    found.push({
      ledger,
      lots: byDay(lots.filter(isOf).map(({ left, endsAt }) => ({ left, endsOn: dayOf(endsAt) }))),
      awards: awards
        .filter(isOf)
        .map(({ ruleId, key, orderId, points }) => `${ruleId} ${orderId ? `order:${orderId}` : key} ${points}`)
        .sort(),
      progress: progress
        .filter(isOf)
        .map(({ ruleId, counted, rewarded }) => `${ruleId} ${counted} ${rewarded}`)
        .sort(),
      coupons: coupons
        .filter(isOf)
        .map((one) => `${one.code} ${one.endedBy ?? one.status} ${one.uses} ${dayOf(one.expiresAt)}`)
        .sort(),
      tier: read.tier && [read.tier.name, dayOf(read.tier.enteredAt), dayOf(read.tier.reviewAt)],
      nextTier: read.nextTier && [read.nextTier.name, read.nextTier.pointsRemaining],
      tag: tags.get(memberId) ?? '',
      read: [read.points, read.pendingPoints, read.lifetimePoints, read.couponsCount, ...read.completedRules],
      completion: rules.map(({ rule, completion }) => ({
        ruleId: rule.id,
        shown: completion && [completion.current, completion.required]
      }))
    })
  }
  return found
}

/** What a customer has, each as a text where there are many. */
type Found = {
  ledger: { balance: number; pending: number; lifetime: number; credit: number }
  lots: string[]
  awards: string[]
  progress: string[]
  coupons: string[]
  /** Its name, since when, and until when at least. */
  tier: [string, number, number] | null
  /** Its name, and the points that it needs yet. */
  nextTier: [string, number | null] | null
  tag: string
  /** Points, pending and lifetime points, usable coupons, and the rules that end of which a reward stands. */
  read: number[]
  completion: { ruleId: number; shown: number[] | null }[]
}

/** The same by the model. */
export function modelled(model: ModelledLoyalty, person: number): Found {
  const { points, credit, coupons, held } = model.people[person]!
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
    tier: held.tier && [held.tier.name, held.enteredOn, held.reviewOn],
    nextTier: nextTier(model, person),
    tag: (model.areTiersOn && held.tier?.tag) || '',
    read: [
      ...[balance, pending, lifetime, usable.length],
      ...standings
        .filter((one) => rewarded(one) > 0 && model.completion(one.rule, person) !== null)
        .map(({ rule }) => rule.id)
    ],
    completion: model.rules
      .filter(({ isArchived }) => !isArchived)
      .map((rule) => ({ ruleId: rule.id, shown: model.completion(rule, person) }))
  }
}

function nextTier(model: ModelledLoyalty, person: number): Found['nextTier'] {
  if (!model.moves) return null
  const place = model.people[person]!.held.tier?.place ?? -1
  const above = model.tiers.filter((tier) => tier.isActive && tier.place > place).toSorted((a, b) => a.place - b.place)
  const [next] = above
  if (!next) return null
  const { points_earned: needed } = next.entryRules
  const counted = pointsForNext(model.countedOf(person), model.review, model.today)
  return [next.name, needed === undefined ? null : Math.max(0, needed - counted)]
}
