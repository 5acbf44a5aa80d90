import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { type RecordedOrder, recordOrders } from '#orders'
import { listPlans, type Plan } from '#plans'
import type { PlatformContract, PlatformOrder } from '#platform'
import { type StoreContext, storeContext } from '#stores'
import {
  type ActivityMessage,
  activityMessages,
  actorOf,
  billingDate,
  changesOf,
  holderOf,
  insertSubscriptions,
  issueCheckoutCredits,
  lockSubscriptionsOfContracts,
  type NewSubscription,
  recordActivities,
  refreshMembershipStatuses,
  type Subscription,
  subscriptionActivated,
  subscriptionCreated,
  subscriptionUpdated,
  withInterval
} from '#subscriptions'
import { isOver, pushContracts } from '#subscriptions/transitions'
import { type AppliedChanges, applyContractChanges } from './apply-contract-changes.ts'
import { CREATED_HERE, type ImportTerms, importedSubscription, importMessage } from './imported-subscription.ts'
import { markCreated } from './pending-creations.ts'
import { isSameDate, ourStatus, planOf, trialEndOf, versionOf } from './platform-terms.ts'
import { type NewContract, resolveNewContracts } from './resolve-new-contracts.ts'

/** What came of a look at contracts: of those we did not know, and of those we did. */
export type Synced = AppliedChanges & { created: Subscription[]; known: Subscription[] }

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
  const reported = contracts.filter((contract) => contract.customer)
  if (reported.length === 0)
    return { stopped: [], unsure: [], changed: [], newMethods: [], otherMethods: [], created: [], known: [] }
  const store = await storeContext(ctx)
  const members = await upsertCustomers(
    ctx,
    reported.map((contract) => contract.customer!)
  )
  const recorded = await recordOrders(ctx, orders)
  const known = new Map((await lockSubscriptionsOfContracts(ctx, ids(reported))).map((s) => [s.platformContractId, s]))
  const plans = await listPlans(ctx)

  const fresh = reported.filter((contract) => !known.has(contract.id))
  const looks = await resolveNewContracts(ctx, fresh, store.profile)
  const rows = fresh.map((contract) => {
    const { id: memberId } = members.get(contract.customer!.id)!
    const { madeBy, receiverId: wanted } = looks.get(contract.id)!
    const terms = imported.get(contract.id) ?? (madeBy && CREATED_HERE)
    const plan = planOf(contract, plans)
    // Products are for who bought them, and what is over is nobody's any more.
    const isGift = (plan ?? terms?.plan)?.type !== 'product' && !isOver(ourStatus(contract.status))
    const receiverId = isGift ? wanted : null
    const who = { memberId, receiverId, plan, originOrderId: originOf(contract, recorded) }
    if (!terms) return newSubscription(contract, who, ctx.now, store)
    return importedSubscription(contract, terms, who, ctx.now, store)
  })
  const created = rows.length > 0 ? await createFrom(ctx, rows, imported, looks) : []
  await markSeen(ctx, created, fresh)
  const followed = await applyContractChanges(
    ctx,
    reported.flatMap((contract) => {
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

type Who = { memberId: number; receiverId: number | null; plan: Plan | null; originOrderId: number | null }

/** A contract with an order behind it has paid its first cycle; a trial or an import has its first charge ahead. */
function newSubscription(
  contract: PlatformContract,
  { memberId, receiverId, plan, originOrderId }: Who,
  now: Temporal.Instant,
  store: StoreContext
): NewSubscription {
  const trialEndsAt = plan && trialEndOf(plan, contract, now, store.timezone)
  const paid = contract.originOrder !== null && trialEndsAt === null
  const begunAt = trialEndsAt ?? (paid ? contract.createdAt : (contract.nextBillingDate ?? contract.createdAt))
  const cycleIndex = paid ? 1 : 0
  const nextCycle = cycleIndex + 1
  const policy = { interval: contract.interval, intervalCount: contract.intervalCount }
  const fromCreation = withInterval(
    { anchorAt: contract.createdAt, anchorCycle: 0, ...policy },
    1,
    policy,
    store.timezone
  )
  // A trial of one interval began on a day of the series, which stays its day also where the first charge is on a shorter month.
  const isOfSeries = trialEndsAt !== null && isSameDate(billingDate(fromCreation, 1, store.timezone), trialEndsAt)
  const isOneInterval = plan?.trialType === 'next_billing_date' && isOfSeries
  const begun = isOneInterval ? fromCreation : { anchorAt: begunAt, anchorCycle: 1, ...policy }
  // One that was under way long before we heard of it was billed by others: it is not charged at once, but when it says.
  const isLate = Temporal.Instant.compare(billingDate(begun, nextCycle, store.timezone), now) <= 0
  const ahead = contract.nextBillingDate && Temporal.Instant.compare(contract.nextBillingDate, now) > 0
  const cadence = isLate && ahead ? { anchorAt: contract.nextBillingDate!, anchorCycle: nextCycle, ...policy } : begun
  const status = ourStatus(contract.status)
  const at = status === 'active' ? billingDate(cadence, nextCycle, store.timezone) : null
  return {
    ...cadence,
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
    originOrderId,
    paymentMethod: contract.paymentMethod,
    platformPaymentMethodId: contract.paymentMethodId,
    receiverMemberId: receiverId,
    giftedAt: receiverId === null ? null : now,
    createdAt: contract.createdAt
  }
}

async function createFrom(
  ctx: Ctx,
  rows: NewSubscription[],
  imported: ReadonlyMap<string, ImportTerms>,
  looks: ReadonlyMap<string, NewContract>
): Promise<Subscription[]> {
  const { profile, timezone } = await storeContext(ctx)
  await insertSubscriptions(ctx, rows)
  const created = await lockSubscriptionsOfContracts(
    ctx,
    rows.map((s) => s.platformContractId)
  )
  const ofMembers = await refreshMembershipStatuses(ctx, created.map(holderOf))
  // Who becomes a member is told of before what they hold.
  const [first, others] = [
    ofMembers.filter(({ name }) => name === 'member.created'),
    ofMembers.filter(({ name }) => name !== 'member.created')
  ]
  const ofSubscriptions = created.flatMap((s) => [
    subscriptionCreated(s, profile),
    ...(isActivated(s) ? [subscriptionActivated(s, s.createdAt, profile)] : []),
    ...(s.receiverMemberId ? [subscriptionUpdated(s, changesOf(ungiven(s), s), profile)] : [])
  ])
  await record(ctx, ...first, ...ofSubscriptions, ...others)
  const importOf = (s: Subscription) => imported.get(s.platformContractId)
  await recordActivities(
    ctx,
    created.flatMap((s) => {
      const terms = importOf(s)
      const { madeBy, isReceiverUnknown } = looks.get(s.platformContractId)!
      const by = actorOf(terms ? 'import' : (madeBy ?? 'platform'))
      const reported = terms ? [importMessage(s, terms.importId, timezone)] : creationMessages(s, timezone)
      if (s.receiverMemberId) reported.push(activityMessages.gifted(ungiven(s), s))
      if (isReceiverUnknown)
        reported.push(activityMessages.reconciled('The contract names a receiver who is no other customer known here'))
      return reported.map((line) => ({ ...line, ...by, subscriptionId: s.id }))
    })
  )
  await issueCheckoutCredits(
    ctx,
    created.filter((s) => !importOf(s) && isPaidByCheckout(s))
  )
  // An imported contract stands still there. It and one in a trial bear the date of our first charge.
  await pushContracts(
    ctx,
    created.filter((s) => needsUpdateEvent(s, importOf(s) !== undefined)).map((s) => s.id)
  )
  return created
}

function needsUpdateEvent(
  { status, trialEndsAt, nextBillingAt, platformNextBillingAt }: Subscription,
  isImported: boolean
) {
  if (isImported && status === 'paused') return true
  const isOurDate = isImported || trialEndsAt !== null
  return isOurDate && nextBillingAt !== null && !isSameDate(nextBillingAt, platformNextBillingAt)
}

const ungiven = (s: Subscription): Subscription => ({ ...s, receiverMemberId: null, giftedAt: null })

/** Who waits for a contract of theirs finds it under its key. */
async function markSeen(ctx: Ctx, created: Subscription[], contracts: PlatformContract[]): Promise<void> {
  const idOf = new Map(created.map((s) => [s.platformContractId, s.id]))
  await markCreated(
    ctx,
    contracts.flatMap(({ id, createKey }) => (createKey === null ? [] : [{ createKey, subscriptionId: idOf.get(id)! }]))
  )
}

function creationMessages(s: Subscription, timezone: string): ActivityMessage[] {
  if (!isActivated(s)) return [activityMessages.created(s)]
  return [
    activityMessages.created(s),
    s.trialEndsAt ? activityMessages.trialStarted(s.trialEndsAt, timezone) : activityMessages.activated()
  ]
}

/** Not one that was under way long before we heard of it, whose cycles others have billed. */
function isPaidByCheckout({ status, cycleIndex, anchorCycle, trialEndsAt }: Subscription): boolean {
  return !isOver(status) && cycleIndex === 1 && anchorCycle === 1 && trialEndsAt === null
}

/** Paid by its checkout, or in its trial, also when it is met paused. Otherwise its first payment activates it. */
function isActivated({ status, cycleIndex, trialEndsAt }: Subscription): boolean {
  return !isOver(status) && (cycleIndex > 0 || trialEndsAt !== null)
}
