import { type Fact, record } from '#kit/outbox'
import { type Ctx, sql } from '#kit/postgres'
import { enqueueForfeits } from '../forfeit-credit-job.ts'
import { type Actor, actorOf } from '../history/activity-messages.ts'
import { type NewActivity, recordActivities } from '../history/record-activity.ts'
import { deriveMembershipStatuses } from '../membership-status/derive-membership-status.ts'
import { enqueueContractPush } from '../platform-requests.ts'
import { endChangesOf, enqueueWaitingEdits } from '../requested-changes.ts'
import { holderOf, type Subscription } from '../subscription.ts'
import type { TransitionPlan } from './transition-plan.ts'
import { isFinal, isOver } from './transitions.ts'

/**
 * Writes plans to the agreement: rows, membership statuses, facts, history, and the request that the platform's contract
 * follows. The charges of what a plan stops are not its business: `applyPlans` of billing stops them in the same transaction.
 */
export async function applyTransitions(ctx: Ctx, plans: TransitionPlan[], by: Actor): Promise<void> {
  const { pendingEvents, activities } = await applyTransitionsUnrecorded(ctx, plans, by)
  await record(ctx, ...pendingEvents)
  await recordActivities(ctx, activities)
}

/** Facts and history of changes that are written, to be recorded by the caller. */
export type PendingEvents = { pendingEvents: Fact[]; activities: NewActivity[] }

/** As `applyTransitions`, for a caller who has facts of its own to record before these. */
export async function applyTransitionsUnrecorded(ctx: Ctx, plans: TransitionPlan[], by: Actor): Promise<PendingEvents> {
  if (plans.length === 0) return { pendingEvents: [], activities: [] }
  await markStates(
    ctx,
    plans.map(({ after }) => after)
  )
  const final = plans.filter(({ after }) => isFinal(after))
  if (final.length > 0) {
    await endChangesOf(
      ctx,
      final.map(({ before }) => before.id)
    )
  }
  const ofMembers = await deriveMembershipStatuses(
    ctx,
    plans.flatMap(({ before, after }) => [holderOf(before), holderOf(after)])
  )
  if (actorOf(by).actor !== 'platform') {
    const moved = plans.filter(({ before, after }) => before.status !== after.status || !hasSameDate(before, after))
    await enqueueContractPush(
      ctx,
      moved.map(({ before }) => before.id)
    )
  }
  const ended = plans.filter(({ before, after }) => !isOver(before.status) && isOver(after.status))
  await enqueueForfeits(
    ctx,
    ended.map(({ before }) => before.id)
  )
  // Changes that were requested before an end waited for it to be taken back.
  const revived = plans.filter(({ before, after }) => isOver(before.status) && !isOver(after.status))
  if (revived.length > 0) {
    await enqueueWaitingEdits(
      ctx,
      revived.map(({ after }) => after.id)
    )
  }
  return {
    pendingEvents: membersFirst(
      ofMembers,
      plans.flatMap(({ events }) => events)
    ),
    activities: plans.flatMap(({ before, activities }) =>
      activities.map(({ by: other, ...message }) => ({
        ...message,
        ...actorOf(other ?? by),
        subscriptionId: before.id
      }))
    )
  }
}

/** New members are reported before what they hold, other changes of members after it. */
export function membersFirst(ofMembers: Fact[], ofSubscriptions: Fact[]): Fact[] {
  const [created, changed] = [
    ofMembers.filter(({ name }) => name === 'member.created'),
    ofMembers.filter(({ name }) => name !== 'member.created')
  ]
  return [...created, ...ofSubscriptions, ...changed]
}

function hasSameDate(a: Subscription, b: Subscription): boolean {
  if (!a.nextBillingAt || !b.nextBillingAt) return a.nextBillingAt === b.nextBillingAt
  return a.nextBillingAt.equals(b.nextBillingAt)
}

type SubscriptionState = TransitionPlan['after']

/** Writes the states of locked rows in one statement: everything of a row but its terms and the contract's own fields. */
export async function markStates(ctx: Ctx, states: SubscriptionState[]): Promise<void> {
  await ctx.tx.run(sql`
    update subscriptions s
       set status = t.status, price_minor = t.price, anchor_at = t.anchor_at, anchor_cycle = t.anchor_cycle,
           cycle_index = t.cycle_index, next_cycle = t.next_cycle, next_billing_at = t.next_billing_at,
           billing_due_at = t.billing_due_at, declines = t.declines, inventory_failures = t.inventory_failures,
           payment_method_deadline = t.payment_method_deadline, cycles_paid = t.cycles_paid,
           platform_revision = t.revision, paused_at = t.paused_at, resumes_at = t.resumes_at,
           cancelled_at = t.cancelled_at, cancel_reason = t.cancel_reason,
           cancel_comment = case when t.cancelled_at is not null then coalesce(t.cancel_comment, s.cancel_comment) end,
           grace_ends_at = t.grace_ends_at, trial_ends_at = t.trial_ends_at, past_due_cycle = t.past_due_cycle,
           paused_by_dunning = t.paused_by_dunning, payment_method = t.payment_method::jsonb,
           receiver_member_id = t.receiver, gifted_at = t.gifted_at, updated_at = ${ctx.now}
      from unnest(${states.map((s) => s.id)}::bigint[], ${states.map((s) => s.status)}::text[],
                  ${states.map((s) => s.priceMinor)}::bigint[], ${states.map((s) => s.anchorAt)}::timestamptz[],
                  ${states.map((s) => s.anchorCycle)}::int[], ${states.map((s) => s.cycleIndex)}::int[],
                  ${states.map((s) => s.nextCycle)}::int[], ${states.map((s) => s.nextBillingAt)}::timestamptz[],
                  ${states.map((s) => s.billingDueAt)}::timestamptz[], ${states.map((s) => s.declines)}::int[],
                  ${states.map((s) => s.inventoryFailures)}::int[],
                  ${states.map((s) => s.paymentMethodDeadline)}::timestamptz[],
                  ${states.map((s) => s.cyclesPaid)}::int[], ${states.map((s) => s.platformRevision)}::text[],
                  ${states.map((s) => s.pausedAt)}::timestamptz[], ${states.map((s) => s.resumesAt)}::timestamptz[],
                  ${states.map((s) => s.cancelledAt)}::timestamptz[], ${states.map((s) => s.cancelReason)}::text[],
                  ${states.map((s) => s.cancelComment ?? null)}::text[],
                  ${states.map((s) => s.graceEndsAt)}::timestamptz[], ${states.map((s) => s.trialEndsAt)}::timestamptz[],
                  ${states.map((s) => s.pastDueCycle)}::int[], ${states.map((s) => s.pausedByDunning)}::boolean[],
                  ${states.map((s) => s.paymentMethod && JSON.stringify(s.paymentMethod))}::text[],
                  ${states.map((s) => s.receiverMemberId)}::bigint[], ${states.map((s) => s.giftedAt)}::timestamptz[])
             as t(id, status, price, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at, billing_due_at,
                  declines, inventory_failures, payment_method_deadline, cycles_paid, revision, paused_at, resumes_at,
                  cancelled_at, cancel_reason, cancel_comment, grace_ends_at, trial_ends_at, past_due_cycle,
                  paused_by_dunning, payment_method, receiver, gifted_at)
     where s.store_id = ${ctx.storeId} and s.id = t.id`)
}
