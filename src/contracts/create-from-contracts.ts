import { issueCheckoutCredits } from '#billing'
import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import type { RecordedOrder } from '#orders'
import type { Plan } from '#plans'
import type { PlatformContract } from '#platform'
import type { StoreContext } from '#stores'
import {
  type ActivityMessage,
  activityMessages,
  actorOf,
  changesOf,
  enqueueContractPush,
  holderOf,
  lockSubscriptionsOfContracts,
  recordActivities,
  type Subscription,
  subscriptionActivated,
  subscriptionCreated,
  subscriptionUpdated
} from '#subscriptions'
import {
  deriveMembershipStatuses,
  insertSubscriptions,
  isOver,
  membersFirst,
  type NewSubscription
} from '#subscriptions/transitions'
import { CREATED_HERE, type ImportTerms, importedSubscription, importMessage } from './imported-subscription.ts'
import { newSubscription } from './new-subscription.ts'
import { markCreated } from './pending-creations.ts'
import { isSameDate, ourStatus, planOf } from './read-contract-terms.ts'
import { type NewContract, resolveNewContracts } from './resolve-new-contracts.ts'

type Known = {
  /** By platform number of the customer. */
  members: ReadonlyMap<string, { id: number }>
  /** Recorded origin orders, by platform number. */
  orders: ReadonlyMap<string, RecordedOrder>
  plans: Plan[]
  imported: ReadonlyMap<string, ImportTerms>
  store: StoreContext
}

/** Makes contracts that are new here subscriptions, with their facts, history and the credit of what a checkout has paid. */
export async function createFromContracts(
  ctx: Ctx,
  contracts: PlatformContract[],
  known: Known
): Promise<Subscription[]> {
  if (contracts.length === 0) return []
  const { profile } = known.store
  const resolved = await resolveNewContracts(ctx, contracts, profile)
  await insertSubscriptions(
    ctx,
    contracts.map((contract) => subscriptionOf(contract, resolved.get(contract.id)!, known, ctx.now))
  )
  const created = await lockSubscriptionsOfContracts(
    ctx,
    contracts.map(({ id }) => id)
  )
  const ofMembers = await deriveMembershipStatuses(ctx, created.map(holderOf))
  const ofSubscriptions = created.flatMap((s) => [
    subscriptionCreated(s, profile),
    ...(isActivated(s) ? [subscriptionActivated(s, s.createdAt, profile)] : []),
    ...(s.receiverMemberId ? [subscriptionUpdated(s, changesOf(notGiven(s), s), profile)] : [])
  ])
  await record(ctx, ...membersFirst(ofMembers, ofSubscriptions))
  await recordActivities(
    ctx,
    created.flatMap((s) => historyOf(s, resolved.get(s.platformContractId)!, known))
  )
  const isImported = (s: Subscription) => known.imported.has(s.platformContractId)
  await issueCheckoutCredits(
    ctx,
    created.filter((s) => !isImported(s) && isPaidByCheckout(s))
  )
  await enqueueContractPush(
    ctx,
    created.filter((s) => needsPush(s, isImported(s))).map(({ id }) => id)
  )
  await markCreations(ctx, created, contracts)
  return created
}

function subscriptionOf(
  contract: PlatformContract,
  { madeBy, receiverId: named }: NewContract,
  { members, orders, plans, imported, store }: Known,
  now: Temporal.Instant
): NewSubscription {
  const { id: memberId } = members.get(contract.customer!.id)!
  const terms = imported.get(contract.id) ?? (madeBy && CREATED_HERE)
  const plan = planOf(contract, plans)
  // Only a membership can be given away, and not one that has ended.
  const isGift = (plan ?? terms?.plan)?.type !== 'product' && !isOver(ourStatus(contract.status))
  const originOrderId = (contract.originOrder && orders.get(contract.originOrder.id)?.id) ?? null
  const origin = { memberId, receiverId: isGift ? named : null, plan, originOrderId }
  return terms
    ? importedSubscription(contract, terms, origin, now, store)
    : newSubscription(contract, origin, now, store)
}

function historyOf(s: Subscription, { madeBy, isReceiverUnknown }: NewContract, { imported, store }: Known) {
  const terms = imported.get(s.platformContractId)
  const by = actorOf(terms ? 'import' : (madeBy ?? 'platform'))
  const messages = terms ? [importMessage(s, terms.importId, store.timezone)] : creationMessages(s, store.timezone)
  if (s.receiverMemberId) messages.push(activityMessages.gifted(notGiven(s), s))
  if (isReceiverUnknown) {
    messages.push(activityMessages.reconciled('The contract names a receiver who is no other customer known here'))
  }
  return messages.map((message) => ({ ...message, ...by, subscriptionId: s.id }))
}

function creationMessages(s: Subscription, timezone: string): ActivityMessage[] {
  if (!isActivated(s)) return [activityMessages.created(s)]
  return [
    activityMessages.created(s),
    s.trialEndsAt ? activityMessages.trialStarted(s.trialEndsAt, timezone) : activityMessages.activated()
  ]
}

const notGiven = (s: Subscription): Subscription => ({ ...s, receiverMemberId: null, giftedAt: null })

/** Paid by its checkout, or in its trial, also where it is paused there. Otherwise its first payment activates it. */
const isActivated = ({ status, cycleIndex, trialEndsAt }: Subscription): boolean =>
  !isOver(status) && (cycleIndex > 0 || trialEndsAt !== null)

/** Not a contract that was under way long before we knew it, whose cycles others have billed. */
const isPaidByCheckout = ({ status, cycleIndex, anchorCycle, trialEndsAt }: Subscription): boolean =>
  !isOver(status) && cycleIndex === 1 && anchorCycle === 1 && trialEndsAt === null

/** An imported contract may have to be paused there. The contract of an import and of a trial gets the date of our first charge. */
function needsPush(
  { status, trialEndsAt, nextBillingAt, platformNextBillingAt }: Subscription,
  isImported: boolean
): boolean {
  if (isImported && status === 'paused') return true
  const isOurDate = isImported || trialEndsAt !== null
  return isOurDate && nextBillingAt !== null && !isSameDate(nextBillingAt, platformNextBillingAt)
}

/** A request that waits for its contract finds the subscription under its key. */
async function markCreations(ctx: Ctx, created: Subscription[], contracts: PlatformContract[]): Promise<void> {
  const idOf = new Map(created.map((s) => [s.platformContractId, s.id]))
  await markCreated(
    ctx,
    contracts.flatMap(({ id, createKey }) => (createKey === null ? [] : [{ createKey, subscriptionId: idOf.get(id)! }]))
  )
}
