import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import {
  countCouponUses,
  type EarningOrder,
  earnForOrders,
  followReferrals,
  listReferrersOf,
  placeCustomers
} from '#loyalty'
import { lockMembers } from '#members'
import { setWantedTags } from '#mirror'
import { classifyOrder, listPastOrders, type OrderClassification } from '#orders'
import { orderGift, storefrontSetting } from '#storefront-settings'
import { findActiveTiers } from './active-tiers.ts'
import { keepAgreements } from './agreements.ts'
import { orderEffectsChanged } from './events/order-effects-changed.ts'
import { refreshFirstOrders } from './first-orders.ts'
import { followDisputes } from './fraud-protection.ts'
import { linkOrders, type OrderLink } from './link-orders.ts'
import { applyLostDisputes } from './lost-disputes.ts'
import { type OrderState, readOrders } from './read-orders.ts'
import { reversedOf, settleTakenBack } from './take-back.ts'
import { listMembersOf, type OrderEffect, writeEffects } from './write-effects.ts'

/** How long an order waits for its contract before it counts as one without, by the clock of the store. */
const MINUTES_FOR_CONTRACT = 10

/**
 * Derives everything that follows from these orders as they are now: the contracts they belong to, what kind of order each was, the tags
 * that it is to have, and when its customer ordered first. What is so already is not written, so it may be called for any order at any
 * time, in any order. `isAsked`: something became known that orders of before did not have yet, such as a membership. `formerMemberIds`:
 * whose orders some of these were before the platform gave them to others.
 */
export async function refreshOrders(
  ctx: Ctx,
  orderIds: number[],
  { isAsked = false, formerMemberIds = [] }: { isAsked?: boolean; formerMemberIds?: number[] } = {}
): Promise<void> {
  const ids = [...new Set(orderIds)]
  if (ids.length === 0) return
  // Of two transactions that derive it for one customer, the later sees what the other saw.
  const memberIds = [...new Set([...(await listMembersOf(ctx, ids)), ...formerMemberIds])]
  await lockMembers(ctx, [...new Set([...memberIds, ...(await listReferrersOf(ctx, ids))])])
  const orders = await readOrders(ctx, ids)
  const { links, attempted } = await linkOrders(ctx, ids)
  const decided = orders.map((order) => ({
    order,
    parts: partsOf(links.get(order.id) ?? []),
    ...stepOf(ctx, order, links)
  }))
  const tiers = await findActiveTiers(
    ctx,
    decided.flatMap(({ order, parts, waits }) => {
      const isNeeded = !waits && !parts.membership && (isAsked || order.classifiedAt === null)
      const { id: orderId, memberId, processedAt: at } = order
      return isNeeded && memberId !== null ? [{ orderId, memberId, at }] : []
    })
  )
  const isOrderGiftEnabled = (await storefrontSetting(ctx, orderGift)).enabled
  const classified = decided.map(({ order, parts, waits, dueAt }) => {
    const isKept = order.classifiedAt !== null && !isAsked
    const activeTierName = isKept ? order.activeTierName : (tiers.get(order.id) ?? null)
    const kind = waits ? null : classifyOrder(toClassify(order, parts, activeTierName, isOrderGiftEnabled))
    return { order, kind, effect: effectOf(ctx, order, kind, activeTierName, dueAt) }
  })
  await writeEffects(
    ctx,
    classified.flatMap(({ order, effect }) => (isNews(order, effect) ? [effect] : []))
  )
  // An order shows the failures of the cycle that it paid, which are known by its attempt.
  const changed = classified.filter(({ order, effect }) => isShownOther(order, effect) || attempted.has(order.id))
  if (changed.length > 0) await record(ctx, ...changed.map(({ order }) => orderEffectsChanged(order)))
  // What was placed before the store was connected is what others have made of it.
  const past = await listPastOrders(ctx, ids)
  await setWantedTags(
    ctx,
    'order',
    'classification',
    classified.flatMap(({ order, kind }) =>
      kind && !past.has(order.id) ? [{ ownerId: order.id, tags: kind.tags }] : []
    )
  )
  await refreshFirstOrders(ctx, memberIds)
  const linksOf = (order: OrderState) => links.get(order.id) ?? []
  const followed = await followDisputes(ctx, orders, linksOf, past)
  await countCouponUses(ctx, ids)
  // What an order earns is known when its contract is; it comes before what is taken back of that.
  const earning = followed.filter(({ id }) => decided.some(({ order, waits }) => order.id === id && !waits))
  const earned = await earnForOrders(
    ctx,
    earning.filter(({ id }) => !past.has(id)).map((order) => earningOf(order, linksOf(order)))
  )
  await followReferrals(ctx, ids, earned)
  await settleTakenBack(ctx, followed)
  await placeCustomers(ctx, memberIds)
  const linked = decided.flatMap(({ order, waits }) => (waits ? [] : { order, links: linksOf(order) }))
  await applyLostDisputes(
    ctx,
    linked.filter(({ order }) => !past.has(order.id))
  )
  await keepAgreements(ctx, linked)
}

/** What the rules of loyalty have to know of an order. */
function earningOf(order: OrderState, links: OrderLink[]): EarningOrder {
  const { wholeMinor, refundedMinor, disputedMinor } = reversedOf(order)
  return {
    orderId: order.id,
    refundedMinor,
    takenBack: { minor: refundedMinor + disputedMinor, wholeMinor },
    creditMinor: order.creditRedeemedMinor,
    renewedPlans: links.flatMap(({ part, planId }) => (part === 'renewal' ? [planId] : []))
  }
}

type Parts = { membership: OrderLink | null; product: OrderLink | null }

/** Of several memberships that one order belongs to, Elite counts before VIP, and then the older contract. */
function partsOf(links: OrderLink[]): Parts {
  const memberships = links.filter(({ tierName }) => tierName !== null)
  return {
    membership: memberships.find(({ isElite }) => isElite) ?? memberships[0] ?? null,
    product: links.find(({ tierName }) => tierName === null) ?? null
  }
}

/** Whether an order waits for its contract, and until when. One that was classified without does not wait again. */
function stepOf(
  ctx: Ctx,
  order: OrderState,
  links: Map<number, OrderLink[]>
): { waits: boolean; dueAt: Temporal.Instant | null } {
  const until = (order.seenAt ?? ctx.now).add({ minutes: MINUTES_FOR_CONTRACT })
  const waits =
    order.isOfContract &&
    order.classifiedAt === null &&
    !links.has(order.id) &&
    Temporal.Instant.compare(ctx.now, until) < 0
  return { waits, dueAt: waits ? until : null }
}

function toClassify(
  order: OrderState,
  { membership, product }: Parts,
  activeTierName: string | null,
  isOrderGiftEnabled: boolean
) {
  return {
    membership: membership && {
      part: membership.part,
      orderNumber: membership.orderNumber,
      tierName: membership.tierName!
    },
    product: product && { part: product.part, orderNumber: product.orderNumber },
    activeTierName,
    financialStatus: order.financialStatus,
    refundedAt: order.refunds.flatMap(({ at, minor }) => (minor > 0 ? Temporal.Instant.from(at) : [])),
    disputes: order.disputes.map((one) => ({ ...one, initiatedAt: Temporal.Instant.from(one.initiatedAt) })),
    creditRedeemedMinor: order.creditRedeemedMinor,
    creditRestoredMinor: order.creditRestoredMinor,
    attributes: order.attributes ?? [],
    // What was a gift stays one when the setting is turned off later.
    isOrderGiftEnabled: isOrderGiftEnabled || order.hasGiftTag
  }
}

function effectOf(
  ctx: Ctx,
  order: OrderState,
  kind: OrderClassification | null,
  activeTierName: string | null,
  dueAt: Temporal.Instant | null
): OrderEffect {
  return {
    orderId: order.id,
    version: order.version ?? 1,
    dueAt,
    classifiedAt: kind && (order.classifiedAt ?? ctx.now),
    activeTierName: kind && activeTierName,
    checkoutType: kind?.checkoutType ?? null,
    orderTag: kind?.orderTag ?? null,
    chargeNumber: kind?.chargeNumber ?? null,
    autochargeStatus: kind?.autochargeStatus ?? null
  }
}

const isSame = (one: Temporal.Instant | null, other: Temporal.Instant | null) =>
  one === other || (one !== null && other !== null && one.equals(other))

/** Whether what is shown of the order changes. */
const isShownOther = (order: OrderState, effect: OrderEffect): boolean =>
  order.checkoutType !== effect.checkoutType ||
  order.orderTag !== effect.orderTag ||
  order.autochargeStatus !== effect.autochargeStatus

const isNews = (order: OrderState, effect: OrderEffect): boolean =>
  order.seenAt === null ||
  !isSame(order.dueAt, effect.dueAt) ||
  (order.classifiedAt === null) !== (effect.classifiedAt === null) ||
  order.activeTierName !== effect.activeTierName ||
  order.checkoutType !== effect.checkoutType ||
  order.orderTag !== effect.orderTag ||
  order.chargeNumber !== effect.chargeNumber ||
  order.autochargeStatus !== effect.autochargeStatus
