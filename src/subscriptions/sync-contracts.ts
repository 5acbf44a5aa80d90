import { waitingKeys } from '#kit/jobs'
import { numberOf } from '#kit/money'
import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { meetCustomers } from '#members'
import { type RecordedOrder, recordOrders } from '#orders'
import { listPlansBySellingPlan, type Plan } from '#plans'
import { compareRevisions, type PlatformContract, type PlatformOrder } from '#platform'
import { type StoreFacts, storeFacts } from '#stores'
import { billingDate } from './billing-dates.ts'
import { subscriptionActivated, subscriptionCreated, subscriptionUpdated } from './events.ts'
import { insertSubscriptions, type NewSubscription } from './insert-subscriptions.ts'
import {
  carryOut,
  type Planned,
  PUSH_CONTRACT,
  planCancel,
  planEnd,
  planPause,
  planResume,
  pushContracts
} from './moves.ts'
import { lockSubscriptionsOfContracts, refreshStandings } from './queries.ts'
import type { Subscription } from './subscription.ts'

/**
 * Takes over what the platform now says of contracts: new ones become subscriptions, known ones follow the platform in
 * status, price and payment method. The schedule stays ours. A contract that we are about to change on the platform
 * waits for that; an older revision than we have seen changes nothing. `orders` are the contracts' origin orders.
 * Tells which subscriptions stopped by it, for billing to let go of.
 */
export async function syncContracts(
  ctx: Ctx,
  contracts: PlatformContract[],
  orders: PlatformOrder[]
): Promise<{ stopped: number[] }> {
  const told = contracts.filter((contract) => contract.customer)
  if (told.length === 0) return { stopped: [] }
  const store = await storeFacts(ctx)
  const members = await meetCustomers(
    ctx,
    told.map((contract) => contract.customer!)
  )
  const recorded = await recordOrders(ctx, orders)
  const known = new Map((await lockSubscriptionsOfContracts(ctx, ids(told))).map((s) => [s.platformContractId, s]))

  const fresh = told.filter((contract) => !known.has(contract.id))
  if (fresh.length > 0) {
    const plans = await listPlansBySellingPlan(
      ctx,
      fresh.flatMap((c) => c.lines.flatMap((line) => line.sellingPlanId ?? []))
    )
    await createFrom(
      ctx,
      fresh.map((c) => newSubscription(c, members.get(c.customer!.id)!.id, planOf(c, plans), recorded, ctx.now, store))
    )
  }
  const stopped = await follow(
    ctx,
    told.flatMap((contract) => {
      const subscription = known.get(contract.id)
      return subscription ? [{ subscription, contract }] : []
    }),
    store
  )
  return { stopped }
}

const ids = (contracts: PlatformContract[]) => contracts.map((contract) => contract.id)

function planOf(contract: PlatformContract, plans: Map<string, Plan>): Plan | null {
  for (const line of contract.lines) {
    const plan = line.sellingPlanId && plans.get(line.sellingPlanId)
    if (plan) return plan
  }
  return null
}

/** A contract with an order behind it has paid its first cycle; a trial or an import has its first charge ahead. */
function newSubscription(
  contract: PlatformContract,
  memberId: number,
  plan: Plan | null,
  orders: Map<string, RecordedOrder>,
  now: Temporal.Instant,
  store: StoreFacts
): NewSubscription {
  const trialEndsAt = plan?.trialDays
    ? contract.createdAt.toZonedDateTimeISO(store.timezone).add({ days: plan.trialDays }).toInstant()
    : null
  const paid = contract.originOrder !== null && trialEndsAt === null
  const anchorAt = trialEndsAt ?? (paid ? contract.createdAt : (contract.nextBillingDate ?? contract.createdAt))
  const rhythm = { anchorAt, anchorCycle: 1, interval: contract.interval, intervalCount: contract.intervalCount }
  const cycleIndex = paid ? 1 : 0
  const nextCycle = cycleIndex + 1
  const status = ourStatus(contract.status)
  const at = status === 'active' ? billingDate(rhythm, nextCycle, store.timezone) : null
  return {
    ...rhythm,
    memberId,
    planId: plan?.id ?? null,
    platformContractId: contract.id,
    platformRevision: contract.revision,
    name: plan?.name ?? contract.lines[0]?.title ?? 'Subscription',
    status,
    priceMinor: contract.priceMinor + contract.deliveryPriceMinor,
    currency: contract.currency,
    cycleIndex,
    nextCycle,
    nextBillingAt: at,
    maxCycles: contract.maxCycles,
    trialEndsAt,
    pausedAt: status === 'paused' ? now : null,
    cancelledAt: isOver(status) ? now : null,
    cancelReason: isOver(status) ? 'platform' : null,
    originOrderId: (contract.originOrder && orders.get(contract.originOrder.id)?.id) ?? null,
    paymentMethod: contract.paymentMethod,
    createdAt: contract.createdAt
  }
}

/** A status that we do not know (stale, say) must not be billed. */
function ourStatus(status: string): Subscription['status'] {
  return status === 'active' || status === 'cancelled' || status === 'expired' || status === 'failed'
    ? status
    : 'paused'
}

async function createFrom(ctx: Ctx, rows: NewSubscription[]): Promise<void> {
  const { profile } = await storeFacts(ctx)
  await insertSubscriptions(ctx, rows)
  const created = await lockSubscriptionsOfContracts(
    ctx,
    rows.map((s) => s.platformContractId)
  )
  await refreshStandings(
    ctx,
    created.map((s) => s.memberId)
  )
  await record(
    ctx,
    ...created.flatMap((s) =>
      s.status === 'active'
        ? [subscriptionCreated(s, profile), subscriptionActivated(s, profile)]
        : [subscriptionCreated(s, profile)]
    )
  )
}

type Pair = { subscription: Subscription; contract: PlatformContract }

async function follow(ctx: Ctx, pairs: Pair[], store: StoreFacts): Promise<number[]> {
  const waiting = await waitingKeys(
    ctx,
    PUSH_CONTRACT,
    pairs.map(({ subscription }) => String(subscription.id))
  )
  const news = pairs.filter(
    ({ subscription, contract }) =>
      // What has ended on the platform has ended, whatever we were about to tell it.
      (!waiting.has(String(subscription.id)) || isOver(ourStatus(contract.status))) &&
      compareRevisions(contract.revision, subscription.platformRevision) >= 0
  )
  const ours = news.filter(({ subscription, contract }) => ended(subscription) && contract.status === 'active')
  await pushContracts(
    ctx,
    ours.map(({ subscription }) => subscription.id)
  )
  const planned = news
    .filter((pair) => !ours.includes(pair))
    .flatMap(({ subscription, contract }) => converge(subscription, contract, ctx.now, store) ?? [])
  await carryOut(ctx, planned, 'platform')
  return planned.flatMap(({ before, after }) =>
    before.status === 'active' && after.status !== 'active' ? before.id : []
  )
}

const isOver = (status: Subscription['status']) => status === 'cancelled' || status === 'failed' || status === 'expired'
const ended = ({ status }: Subscription) => isOver(status)

/** The change that makes the subscription agree with the contract; null when it does already. */
function converge(
  before: Subscription,
  contract: PlatformContract,
  now: Temporal.Instant,
  store: StoreFacts
): Planned | null {
  const priceMinor = contract.priceMinor + contract.deliveryPriceMinor
  const told = { ...before, platformRevision: contract.revision, paymentMethod: contract.paymentMethod, priceMinor }
  const times = { now, store }
  const status = ourStatus(contract.status)
  if (status !== before.status && !ended(before)) {
    const move = {
      paused: () => planPause(told, null, times),
      active: () => planResume(told, null, times),
      cancelled: () => planCancel(told, 'platform', null, times),
      failed: () => planEnd(told, 'failed', 'platform', times),
      expired: () => planEnd(told, 'expired', 'expired', times)
    }[status]()
    return { ...move, before }
  }
  if (contract.revision === before.platformRevision) return null
  if (priceMinor === before.priceMinor) return { before, after: told, events: [] }
  const price = { from: numberOf(before.priceMinor, before.currency), to: numberOf(priceMinor, before.currency) }
  return { before, after: told, events: [subscriptionUpdated(told, { price }, store.profile)] }
}
