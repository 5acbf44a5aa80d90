import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { listPlans } from '#plans'
import type { PlatformOrder } from '#platform'
import { storeContext } from '#stores'
import type { OrderCause } from '../causes/cause.ts'
import { eligibleMinor, type Scope, waitsForCollections } from '../causes/order-amounts.ts'
import { findCollectionsOfProducts } from '../collections/collections-of-orders.ts'
import { amountOf, newCount } from '../earning/count-deeds.ts'
import { listProgress, type Progress } from '../earning/count-queries.ts'
import { type CustomerStanding, isFor, listStandings, NEW_CUSTOMER } from '../earning/customer-standing.ts'
import { causeOf, type PlacedOrder, productsOf } from '../earning/earn-for-orders.ts'
import { planAwards } from '../earning/plan-awards.ts'
import { pointsOf } from '../earning/points-of.ts'
import { isLoyaltyOn } from '../is-loyalty-on.ts'
import { type Completion, completionOf } from '../progress/completion.ts'
import { type LoyaltyRule, wasActive } from '../rules/rule.ts'
import { listRules } from '../rules/rule-queries.ts'
import { termsOf } from '../rules/rule-terms.ts'

/** What comes of an order by one rule: a reward, progress towards one, or why it does not count. */
export const PREVIEW_OUTCOMES = [
  'rewarded',
  'counted',
  'loyalty_off',
  'not_active',
  'not_for_customer',
  'collection_not_read',
  'other_products',
  'below_minimum',
  'no_renewal',
  'limit_reached',
  'no_points'
] as const
export type PreviewOutcome = (typeof PREVIEW_OUTCOMES)[number]

export type RulePreview = {
  rule: LoyaltyRule
  outcome: PreviewOutcome
  /** How often the reward would be given. */
  rewards: number
  /** The points of these rewards; 0 where it gives something else. */
  points: number
  /** How far the customer would be; null where the rule never ends. */
  completion: Completion | null
}

export type OrderPreview = {
  /** What of the order counts for rules that are for all products. */
  eligibleMinor: number
  /** The points of all rules. */
  points: number
  /** The rules that count orders, in the order in which they were created. */
  rules: RulePreview[]
}

/** So many times an order of everything: above all minimums. */
const MANY = 1_000_000_000

/**
 * What an order would earn if the customer placed and paid it now: by the decisions of earning, of which nothing is written. `memberId`: null is
 * somebody of whom the store has nothing yet. No store credit pays it, and it is no renewal.
 */
export async function previewOrder(ctx: Ctx, order: PlatformOrder, memberId: number | null): Promise<OrderPreview> {
  const { currency, timezone } = await storeContext(ctx)
  if (order.currency !== currency)
    throw invalidField('platform_order.currency', `must be ${currency}, that of the shop`)
  const placed = placedOf(order, ctx.now)
  const rules = (await listRules(ctx)).filter(({ type }) => type.counts.amounts.order)
  const [isOn, plans, collections, customer] = [
    await isLoyaltyOn(ctx),
    await listPlans(ctx),
    await findCollectionsOfProducts(ctx, productsOf(placed.lines)),
    await findCustomer(ctx, memberId, rules)
  ]
  const takenBack = { minor: 0, wholeMinor: order.totalMinor }
  const known = { orderId: 0, refundedMinor: 0, takenBack, creditMinor: 0, renewedPlans: [] }
  const cause = causeOf(placed, known, { plans, currency, collectionsOf: collections.of, unread: collections.unread })
  const previews = rules.map((rule): RulePreview => {
    const progress = customer.progress.get(rule.id) ?? { ...NOTHING, ruleId: rule.id }
    const { standing } = customer
    const why = isOn ? whyNot(rule, cause, { at: ctx.now, timezone, standing }) : 'loyalty_off'
    const result =
      why === null
        ? rewardsOf(rule, cause, { at: ctx.now, progress, standing })
        : { outcome: why, rewards: 0, points: 0, progress }
    const { outcome, rewards, points } = result
    const completion = completionOf(rule, { ...result.progress, lastAt: null }, { now: ctx.now, timezone })
    return { rule, outcome, rewards, points, completion }
  })
  return {
    eligibleMinor: eligibleMinor(cause, { product_ids: [], collection_ids: [] }),
    points: previews.reduce((sum, { points }) => sum + points, 0),
    rules: previews
  }
}

/** Of somebody of whom nothing is known. */
const NOTHING = { memberId: 0, counted: 0, rewarded: 0 }

/** The order as if it was placed and paid now. */
const placedOf = ({ currency, totalMinor, taxMinor, details }: PlatformOrder, now: Temporal.Instant): PlacedOrder => ({
  ...{ id: 0, memberId: 0, processedAt: now, currency, isPaid: true, totalMinor, taxMinor },
  isTaxIncluded: details?.isTaxIncluded === undefined ? false : details.isTaxIncluded,
  currentTotalMinor: details?.currentTotalMinor ?? null,
  subtotalMinor: details?.subtotalMinor ?? 0,
  shippingMinor: (details?.shippingMinor ?? 0) - (details?.shippingDiscountMinor ?? 0),
  lines: details?.lines ?? []
})

type Customer = { standing: CustomerStanding; progress: Map<number, Progress> }

async function findCustomer(ctx: Ctx, memberId: number | null, rules: LoyaltyRule[]): Promise<Customer> {
  if (memberId === null) return { standing: NEW_CUSTOMER, progress: new Map() }
  const standing = (await listStandings(ctx, [memberId])).get(memberId)!
  const progress = await listProgress(
    ctx,
    rules.map(({ id: ruleId }) => ({ ruleId, memberId }))
  )
  return { standing, progress: new Map(progress.map((one) => [one.ruleId, one])) }
}

/** Why a rule counts nothing of an order; null where it counts something. */
function whyNot(
  rule: LoyaltyRule,
  cause: OrderCause,
  { at, timezone, standing }: { at: Temporal.Instant; timezone: string; standing: CustomerStanding }
): PreviewOutcome | null {
  const scope = rule.rules as Scope
  const amount = (of: OrderCause) => amountOf(termsOf(rule), of)
  if (!wasActive(rule, at, timezone)) return 'not_active'
  if (!isFor(rule, standing)) return 'not_for_customer'
  if (waitsForCollections(cause, scope)) return 'collection_not_read'
  if (amount(cause) > 0) return null
  if (eligibleMinor(cause, scope) === 0) return 'other_products'
  // The type alone knows what it asks for.
  const larger = cause.lines.map((line) => ({ ...line, netMinor: line.netMinor * MANY }))
  return amount({ ...cause, lines: larger }) > 0 ? 'below_minimum' : 'no_renewal'
}

function rewardsOf(
  rule: LoyaltyRule,
  cause: OrderCause,
  { at, progress, standing }: { at: Temporal.Instant; progress: Progress; standing: CustomerStanding }
): { outcome: PreviewOutcome; rewards: number; points: number; progress: Progress } {
  const terms = termsOf(rule)
  const deed = { memberId: progress.memberId, cause, key: 'order:preview', at, orderId: null, ruleId: null }
  const count = { ...newCount(rule, deed, standing), amount: amountOf(terms, cause) }
  const counted = { ...progress, counted: progress.counted + count.amount }
  const counts = [{ count, terms, before: 0 }]
  const plan = planAwards({ terms, counts, progress: counted, standing: [], used: 0, mayGive: true })
  const points = plan.gives.reduce((sum, give) => sum + (give.points ?? 0), 0)
  const outcome =
    plan.gives.length > 0
      ? 'rewarded'
      : notRewarded(rule, plan.progress, pointsOf(terms, count.amount, count.multiplierHundredths))
  return { outcome, rewards: plan.gives.length, points, progress: plan.progress }
}

/** Why what counts gives no reward. `points`: what it would give; null where that is something else. */
function notRewarded(
  { type: { counts }, rules }: LoyaltyRule,
  { rewarded }: Progress,
  points: number | null
): PreviewOutcome {
  if (counts.mode === 'each') return points === 0 ? 'no_points' : 'limit_reached'
  return rewarded > 0 && !counts.repeats(rules as never) ? 'limit_reached' : 'counted'
}
