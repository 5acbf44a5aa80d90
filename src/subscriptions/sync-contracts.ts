import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { meetCustomers } from '#members'
import { type RecordedOrder, recordOrders } from '#orders'
import { listPlans, type Plan } from '#plans'
import type { PlatformContract, PlatformOrder } from '#platform'
import { type StoreFacts, storeFacts } from '#stores'
import { type Line, lines, named } from './activity-lines.ts'
import { billingDate } from './billing-dates.ts'
import { subscriptionActivated, subscriptionCreated } from './events.ts'
import { type Followed, followContracts } from './follow-contracts.ts'
import { type ImportTerms, importedSubscription, lineOfImport } from './imported-subscription.ts'
import { insertSubscriptions, type NewSubscription } from './insert-subscriptions.ts'
import { pushContracts } from './moves.ts'
import { isSameDate, ourStatus, planOf, trialEndOf, versionOf } from './platform-terms.ts'
import { lockSubscriptionsOfContracts, refreshStandings } from './queries.ts'
import { recordActivities } from './record-activity.ts'
import type { Subscription } from './subscription.ts'
import { isOver } from './transitions.ts'

/** What came of a look at contracts: of those we did not know, and of those we did. */
export type Synced = Followed & { created: Subscription[]; known: Subscription[] }

/**
 * Takes over what the platform now says of contracts: new ones become subscriptions, known ones follow the platform in
 * status, plan, price, interval and, where somebody moved it there, the next date. The schedule stays ours. An older
 * revision than we have seen changes nothing. `orders` are the contracts' origin orders; `imported` has, by contract, how
 * new ones begin that others have billed so far.
 */
export async function syncContracts(
  ctx: Ctx,
  contracts: PlatformContract[],
  orders: PlatformOrder[],
  imported: ReadonlyMap<string, ImportTerms> = new Map()
): Promise<Synced> {
  const told = contracts.filter((contract) => contract.customer)
  if (told.length === 0) return { stopped: [], unsure: [], changed: [], created: [], known: [] }
  const store = await storeFacts(ctx)
  const members = await meetCustomers(
    ctx,
    told.map((contract) => contract.customer!)
  )
  const recorded = await recordOrders(ctx, orders)
  const known = new Map((await lockSubscriptionsOfContracts(ctx, ids(told))).map((s) => [s.platformContractId, s]))
  const plans = await listPlans(ctx)

  const fresh = told.filter((contract) => !known.has(contract.id))
  const rows = fresh.map((contract) => {
    const { id: memberId } = members.get(contract.customer!.id)!
    const terms = imported.get(contract.id)
    const plan = planOf(contract, plans)
    if (!terms) return newSubscription(contract, memberId, plan, recorded, ctx.now, store)
    const originOrderId = originOf(contract, recorded)
    return importedSubscription(contract, terms, { memberId, plan, originOrderId }, ctx.now, store)
  })
  const created = rows.length > 0 ? await createFrom(ctx, rows, imported) : []
  const followed = await followContracts(
    ctx,
    told.flatMap((contract) => {
      const subscription = known.get(contract.id)
      return subscription ? [{ subscription, contract }] : []
    }),
    plans,
    store
  )
  return { ...followed, changed: [...ids(fresh), ...followed.changed], created, known: [...known.values()] }
}

const originOf = ({ originOrder }: PlatformContract, orders: Map<string, RecordedOrder>) =>
  (originOrder && orders.get(originOrder.id)?.id) ?? null

const ids = (contracts: PlatformContract[]) => contracts.map((contract) => contract.id)

/** A contract with an order behind it has paid its first cycle; a trial or an import has its first charge ahead. */
function newSubscription(
  contract: PlatformContract,
  memberId: number,
  plan: Plan | null,
  orders: Map<string, RecordedOrder>,
  now: Temporal.Instant,
  store: StoreFacts
): NewSubscription {
  const trialEndsAt = plan && trialEndOf(plan, contract, now, store.timezone)
  const paid = contract.originOrder !== null && trialEndsAt === null
  const begunAt = trialEndsAt ?? (paid ? contract.createdAt : (contract.nextBillingDate ?? contract.createdAt))
  const cycleIndex = paid ? 1 : 0
  const nextCycle = cycleIndex + 1
  const policy = { interval: contract.interval, intervalCount: contract.intervalCount }
  const begun = { anchorAt: begunAt, anchorCycle: 1, ...policy }
  // One that was under way long before we heard of it was billed by others: it is not charged at once, but when it says.
  const isLate = Temporal.Instant.compare(billingDate(begun, nextCycle, store.timezone), now) <= 0
  const ahead = contract.nextBillingDate && Temporal.Instant.compare(contract.nextBillingDate, now) > 0
  const rhythm = isLate && ahead ? { anchorAt: contract.nextBillingDate!, anchorCycle: nextCycle, ...policy } : begun
  const status = ourStatus(contract.status)
  const at = status === 'active' ? billingDate(rhythm, nextCycle, store.timezone) : null
  return {
    ...rhythm,
    memberId,
    planId: plan?.id ?? null,
    planVersion: plan && versionOf(contract, plan, contract.createdAt),
    platformContractId: contract.id,
    platformRevision: contract.revision,
    name: plan?.name ?? contract.lines[0]?.title ?? 'Subscription',
    status,
    priceMinor: contract.priceMinor + contract.deliveryPriceMinor,
    currency: contract.currency,
    cycleIndex,
    nextCycle,
    nextBillingAt: at,
    platformNextBillingAt: contract.nextBillingDate,
    maxCycles: contract.maxCycles,
    trialEndsAt,
    pausedAt: status === 'paused' ? now : null,
    resumesAt: null,
    cancelledAt: isOver(status) ? now : null,
    cancelReason: isOver(status) ? 'platform' : null,
    originOrderId: originOf(contract, orders),
    paymentMethod: contract.paymentMethod,
    createdAt: contract.createdAt
  }
}

async function createFrom(
  ctx: Ctx,
  rows: NewSubscription[],
  imported: ReadonlyMap<string, ImportTerms>
): Promise<Subscription[]> {
  const { profile, timezone } = await storeFacts(ctx)
  await insertSubscriptions(ctx, rows)
  const created = await lockSubscriptionsOfContracts(
    ctx,
    rows.map((s) => s.platformContractId)
  )
  const ofMembers = await refreshStandings(
    ctx,
    created.map((s) => s.memberId)
  )
  // Who becomes a member is told of before what they hold.
  const [first, others] = [
    ofMembers.filter(({ type }) => type === 'member.created'),
    ofMembers.filter(({ type }) => type !== 'member.created')
  ]
  const ofSubscriptions = created.flatMap((s) => [
    subscriptionCreated(s, profile),
    ...(isActivated(s) ? [subscriptionActivated(s, s.createdAt, profile)] : [])
  ])
  await record(ctx, ...first, ...ofSubscriptions, ...others)
  const importOf = (s: Subscription) => imported.get(s.platformContractId)
  await recordActivities(
    ctx,
    created.flatMap((s) => {
      const terms = importOf(s)
      const by = named(terms ? 'import' : 'platform')
      const told = terms ? [lineOfImport(s, terms.importId, timezone)] : linesOfCreation(s, timezone)
      return told.map((line) => ({ ...line, ...by, subscriptionId: s.id }))
    })
  )
  // An imported contract stands still there. It and one in a trial bear the date of our first charge.
  await pushContracts(
    ctx,
    created.filter((s) => importOf(s) || hasOtherTrialEnd(s)).map((s) => s.id)
  )
  return created
}

function hasOtherTrialEnd({ trialEndsAt, nextBillingAt, platformNextBillingAt }: Subscription): boolean {
  return trialEndsAt !== null && nextBillingAt !== null && !isSameDate(nextBillingAt, platformNextBillingAt)
}

function linesOfCreation(s: Subscription, timezone: string): Line[] {
  if (!isActivated(s)) return [lines.created(s)]
  return [lines.created(s), s.trialEndsAt ? lines.trialStarted(s.trialEndsAt, timezone) : lines.activated()]
}

/** Paid by its checkout, or in its trial, also when it is met paused. Otherwise its first payment activates it. */
function isActivated({ status, cycleIndex, trialEndsAt }: Subscription): boolean {
  return !isOver(status) && (cycleIndex > 0 || trialEndsAt !== null)
}
