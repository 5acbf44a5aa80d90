import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { SubscriptionView } from '#views'
import { OrNull } from '../shared/response-fields.ts'

const PendingChange = Type.Object({
  plan_id: OrNull(Type.String()),
  price: OrNull(Type.Number()),
  interval: OrNull(Type.String()),
  interval_count: OrNull(Type.Integer()),
  payment_method_id: OrNull(Type.String()),
  requested_at: Type.String()
})

const Gift = Type.Object({
  giver_id: Type.String(),
  receiver_id: Type.String(),
  receiver_email: OrNull(Type.String()),
  given_at: Type.String()
})

export const SubscriptionBody = Type.Object({
  id: Type.String(),
  contract_id: Type.String(),
  customer_id: Type.String(),
  email: OrNull(Type.String()),
  plan_id: OrNull(Type.String()),
  plan_name: Type.String(),
  status: Type.String(),
  price: Type.Number(),
  currency: Type.String(),
  interval: Type.String(),
  interval_count: Type.Integer(),
  cycle_index: Type.Integer(),
  max_cycles: OrNull(Type.Integer()),
  next_billing_date: OrNull(Type.String()),
  trial_ends_at: OrNull(Type.String()),
  paused_at: OrNull(Type.String()),
  resumes_at: OrNull(Type.String()),
  cancelled_at: OrNull(Type.String()),
  cancel_reason: OrNull(Type.String()),
  reactivatable_until: OrNull(Type.String()),
  pending_change: OrNull(PendingChange),
  gift: OrNull(Gift),
  created_at: Type.String(),
  updated_at: Type.String()
})

/** A subscription as operators see it: its status is one of all five. */
export function presentSubscription(view: SubscriptionView): Static<typeof SubscriptionBody> {
  return {
    id: publicId('sub', view.id),
    contract_id: view.platformContractId,
    customer_id: publicId('cust', view.memberId),
    email: view.email,
    plan_id: view.planId === null ? null : publicId('plan', view.planId),
    plan_name: view.planName,
    status: view.status,
    price: numberOf(view.priceMinor, view.currency),
    currency: view.currency,
    interval: view.interval,
    interval_count: view.intervalCount,
    cycle_index: view.cycleIndex,
    max_cycles: view.maxCycles,
    next_billing_date: view.nextBillingAt,
    trial_ends_at: view.trialEndsAt,
    paused_at: view.pausedAt,
    resumes_at: view.resumesAt,
    cancelled_at: view.cancelledAt,
    cancel_reason: view.cancelReason,
    reactivatable_until: view.graceEndsAt,
    pending_change: pendingOf(view),
    gift: giftOf(view),
    created_at: view.createdAt,
    updated_at: view.updatedAt
  }
}

function giftOf({ memberId, receiverMemberId, receiverEmail, giftedAt }: SubscriptionView): Static<typeof Gift> | null {
  if (receiverMemberId === null || giftedAt === null) return null
  return {
    giver_id: publicId('cust', memberId),
    receiver_id: publicId('cust', receiverMemberId),
    receiver_email: receiverEmail,
    given_at: giftedAt
  }
}

function pendingOf(view: SubscriptionView): Static<typeof PendingChange> | null {
  if (view.changeRequestedAt === null) return null
  return {
    plan_id: view.pendingPlanId === null ? null : publicId('plan', view.pendingPlanId),
    price: view.pendingPriceMinor === null ? null : numberOf(view.pendingPriceMinor, view.currency),
    interval: view.pendingInterval,
    interval_count: view.pendingIntervalCount,
    payment_method_id: view.pendingPaymentMethodId,
    requested_at: view.changeRequestedAt
  }
}
