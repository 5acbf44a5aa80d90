import { retryWithNewMethod } from '#billing'
import { applyPlans } from '#billing/apply-plans'
import { waitingKeys } from '#kit/jobs'
import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import type { Plan } from '#plans'
import { compareRevisions } from '#platform'
import type { StoreContext } from '#stores'
import {
  type ActivityMessage,
  actorOf,
  enqueueContractPush,
  pushContractJob,
  recordActivities,
  requestersOf,
  type Subscription
} from '#subscriptions'
import { endChangesOf, isFinal, markSeen, markTerms, subscriptionDiscountsChanged } from '#subscriptions/transitions'
import { type ContractUpdate, decideContractChanges, hasOtherTerms, type Pair } from './decide-contract-changes.ts'

/**
 * Contracts that changed something here, and contracts whose status or date may be our own change that is under way: they are
 * read again when it is done.
 */
export type Applied = { changed: string[]; unsure: string[] }

/** What a contract changes, and the subscription as it was. */
type UpdateOfKnown = ContractUpdate & { before: Subscription }

/**
 * Makes known subscriptions agree with their contracts, and starts or stops charges accordingly: what is no longer active is
 * not charged, and what waits for a payment method is charged at once when there is a new one. An older revision than the one
 * known changes nothing.
 */
export async function updateFromContracts(
  ctx: Ctx,
  pairs: Pair[],
  plans: Plan[],
  store: StoreContext
): Promise<Applied> {
  if (pairs.length === 0) return { changed: [], unsure: [] }
  const waiting = await waitingKeys(
    ctx,
    pushContractJob,
    pairs.map(({ subscription }) => String(subscription.id))
  )
  const updates = pairs
    .filter(({ subscription, contract }) => compareRevisions(contract.revision, subscription.platformRevision) >= 0)
    .map((pair) => ({
      before: pair.subscription,
      ...decideContractChanges(pair, waiting.has(String(pair.subscription.id)), plans, ctx.now, store)
    }))
  await markSeen(
    ctx,
    updates.map(({ seen }) => seen)
  )
  await record(ctx, ...updates.filter(hasOtherDiscounts).map(({ seen }) => subscriptionDiscountsChanged(seen)))
  await applyUpdates(ctx, updates)
  // Also of a cancellation that could be taken back until it ended there.
  await endChangesOf(
    ctx,
    updates.filter(({ seen }) => isFinal(seen)).map(({ seen }) => seen.id)
  )
  await enqueueContractPush(
    ctx,
    updates.filter(({ isPushed }) => isPushed).map(({ seen }) => seen.id)
  )
  await retryNewPaymentMethods(ctx, updates)
  return {
    changed: updates
      .filter(({ planned, noticed }) => planned || noticed.length > 0)
      .map(({ seen }) => seen.platformContractId),
    unsure: updates.filter(({ isUnsure }) => isUnsure).map(({ seen }) => seen.platformContractId)
  }
}

const hasOtherDiscounts = ({ before, seen }: UpdateOfKnown): boolean =>
  seen.memberDiscountMinor !== before.memberDiscountMinor || seen.grantedDiscountMinor !== before.grantedDiscountMinor

/** Terms, plans and history. A change that was requested here is its requester's in the history, anything else the platform's. */
async function applyUpdates(ctx: Ctx, updates: ContractUpdate[]): Promise<void> {
  const planned = updates.flatMap((update) => update.planned ?? [])
  await markTerms(
    ctx,
    planned.filter(({ before, after }) => hasOtherTerms(before, after)).map(({ after }) => after)
  )
  const requesters = await requestersOf(
    ctx,
    updates.filter(({ planned, noticed }) => planned?.activities.length || noticed.length).map(({ seen }) => seen.id)
  )
  const byRequester = (id: number) => (message: ActivityMessage) => {
    const by = isRequested(message) ? requesters.get(id) : undefined
    return by ? { ...message, by } : message
  }
  await applyPlans(
    ctx,
    planned.map((plan) => ({ ...plan, activities: plan.activities.map(byRequester(plan.before.id)) })),
    'platform'
  )
  await recordActivities(
    ctx,
    updates.flatMap(({ seen, noticed }) =>
      noticed.map(byRequester(seen.id)).map(({ by = 'platform', ...message }) => ({
        ...message,
        ...actorOf(by),
        subscriptionId: seen.id
      }))
    )
  )
}

/** Changes that can have been requested here. */
const isRequested = ({ kind }: ActivityMessage) =>
  kind === 'plan_changed' ||
  kind === 'price_changed' ||
  kind === 'frequency_changed' ||
  kind === 'payment_method_changed'

/** Charges that wait are due at once where the contract's payment method looks different now, or is another one. */
async function retryNewPaymentMethods(ctx: Ctx, updates: UpdateOfKnown[]): Promise<void> {
  const isChanged = ({ seen, noticed }: ContractUpdate) =>
    seen.paymentMethod && noticed.some(({ kind }) => kind === 'payment_method_changed')
  const isOther = ({ before, seen }: UpdateOfKnown) => {
    const [known, now] = [before.platformPaymentMethodId, seen.platformPaymentMethodId]
    return known && now && known !== now
  }
  await retryWithNewMethod(
    ctx,
    updates.filter(isChanged).map(({ seen }) => seen.id),
    updates.filter(isOther).map(({ seen }) => seen.id)
  )
}
