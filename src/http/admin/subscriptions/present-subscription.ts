import { type Static, Type } from 'typebox'
import { contractOfferJson, contractOfferOf } from '#churn'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { ContractOfferBody, OrNull, Timestamp } from '#resources'
import type { SubscriptionView, UnpaidCycle } from '#views'

const PendingChange = Type.Object(
  {
    plan_id: OrNull(Type.String({ description: 'The plan that it will have' })),
    price: OrNull(Type.Number({ description: 'What a cycle will cost' })),
    interval: OrNull(Type.String({ description: 'The unit of a cycle' })),
    interval_count: OrNull(Type.Integer({ description: 'How many units a cycle will last' })),
    payment_method_id: OrNull(Type.String({ description: "The payment method's global id on the platform" })),
    requested_at: Timestamp('When it was requested')
  },
  { description: "A change that is requested and not in the platform's contract yet; null fields stay as they are" }
)

const Gift = Type.Object(
  {
    giver_id: Type.String({ description: 'The customer who pays' }),
    receiver_id: Type.String({ description: 'The customer who is the member' }),
    receiver_email: OrNull(Type.String({ description: 'As the platform has it' })),
    given_at: Timestamp('When the present receiver got it')
  },
  { description: 'Of a membership that was given away: who pays and who is the member' }
)

const Unpaid = Type.Object(
  {
    cycle_index: Type.Integer({ description: 'The cycle' }),
    attempt_id: OrNull(Type.String({ description: 'Its last attempt that failed; null where none was made' })),
    error_code: OrNull(Type.String({ description: 'The class of the error of that attempt, such as `card_declined`' })),
    error_message: OrNull(Type.String({ description: "The platform's message" })),
    decline_code: OrNull(Type.String({ description: "The platform's own code, in lower case" })),
    is_being_charged: Type.Boolean({ description: 'Whether another try is under way' })
  },
  {
    description:
      'The cycle that was charged and not paid, or was due in a pause; null when nothing is owed. Of a paused subscription it is charged a day after that goes on, if its period runs then'
  }
)

export const SubscriptionBody = Type.Object(
  {
    id: Type.String({ description: 'The subscription id, `sub_24`' }),
    contract_id: Type.String({ description: "The platform's number of its contract" }),
    customer_id: Type.String({ description: 'The customer who pays, `cust_24`' }),
    email: OrNull(Type.String({ description: 'Of that customer, as the platform has it' })),
    plan_id: OrNull(Type.String({ description: 'Null for a contract whose plan the service did not make' })),
    plan_name: Type.String({ description: "The plan's name, or the title of the contract's first line" }),
    status: Type.String({ description: '`active`, `paused`, `cancelled`, `failed` or `expired`' }),
    price: Type.Number({ description: 'What a cycle costs, in `currency`, without member and granted discounts' }),
    member_discount: Type.Number({
      description:
        "What the customer's membership takes off a cycle of a product subscription, as the platform's contract was last read; 0 for nothing"
    }),
    granted_discount: Type.Number({
      description:
        "What rewards of loyalty and churn offers take off the next cycle besides, as the platform's contract was last read; 0 for nothing"
    }),
    currency: Type.String({ description: 'ISO 4217' }),
    interval: Type.String({ description: 'The unit of a cycle: `day`, `week`, `month` or `year`' }),
    interval_count: Type.Integer({ description: 'How many units a cycle lasts' }),
    cycle_index: Type.Integer({ description: 'The last cycle that is paid; 0 during a trial' }),
    max_cycles: OrNull(Type.Integer({ description: 'After how many cycles it expires; null for never' })),
    next_billing_date: OrNull(Timestamp('The next charge, or the next retry while one is planned')),
    unpaid_cycle: OrNull(Unpaid),
    trial_ends_at: OrNull(
      Timestamp(
        'When the trial ends or ended; the first charge is then, or later if the platform or a pause has put it off'
      )
    ),
    paused_at: OrNull(Timestamp('When the pause began')),
    resumes_at: OrNull(Timestamp('When it resumes by itself; null for a pause without an end')),
    cancelled_at: OrNull(Timestamp('When it ended, for whatever reason')),
    cancel_reason: OrNull(Type.String({ description: 'Why it ended' })),
    reactivatable_until: OrNull(Timestamp('Until when a cancellation can be taken back; null when it cannot')),
    pending_change: OrNull(PendingChange),
    gift: OrNull(Gift),
    offer: OrNull(ContractOfferBody),
    created_at: Timestamp('When the contract began'),
    updated_at: Timestamp('When any of these fields last changed')
  },
  {
    title: 'Subscription',
    description: "A customer's agreement to be billed on a schedule.",
    examples: [
      {
        id: 'sub_24',
        contract_id: '9264106591',
        customer_id: 'cust_24',
        email: 'hanna.ito@example.com',
        plan_id: 'plan_3',
        plan_name: 'VIP',
        status: 'active',
        price: 29,
        member_discount: 0,
        granted_discount: 0,
        currency: 'EUR',
        interval: 'month',
        interval_count: 1,
        cycle_index: 3,
        max_cycles: null,
        next_billing_date: '2026-12-15T06:25:00.000Z',
        unpaid_cycle: null,
        trial_ends_at: null,
        paused_at: null,
        resumes_at: null,
        cancelled_at: null,
        cancel_reason: null,
        reactivatable_until: null,
        pending_change: null,
        gift: null,
        offer: null,
        created_at: '2026-09-15T05:25:00.000Z',
        updated_at: '2026-11-15T06:25:00.000Z'
      }
    ]
  }
)

/** A subscription of the admin API: unlike in the direct API its status is one of all five. `unpaid`: the cycle that it owes. */
export function presentSubscription(
  view: SubscriptionView,
  unpaid: UnpaidCycle | undefined
): Static<typeof SubscriptionBody> {
  return {
    id: publicId('sub', view.id),
    contract_id: view.platformContractId,
    customer_id: publicId('cust', view.memberId),
    email: view.email,
    plan_id: view.planId === null ? null : publicId('plan', view.planId),
    plan_name: view.planName,
    status: view.status,
    price: numberOf(view.priceMinor, view.currency),
    member_discount: numberOf(view.memberDiscountMinor, view.currency),
    granted_discount: numberOf(view.grantedDiscountMinor, view.currency),
    currency: view.currency,
    interval: view.interval,
    interval_count: view.intervalCount,
    cycle_index: view.cycleIndex,
    max_cycles: view.maxCycles,
    next_billing_date: view.nextBillingAt,
    unpaid_cycle: unpaid ? unpaidOf(unpaid) : null,
    trial_ends_at: view.trialEndsAt,
    paused_at: view.pausedAt,
    resumes_at: view.resumesAt,
    cancelled_at: view.cancelledAt,
    cancel_reason: view.cancelReason,
    reactivatable_until: view.graceEndsAt,
    pending_change: pendingOf(view),
    gift: giftOf(view),
    offer: view.offer && contractOfferJson(contractOfferOf(view.offer)),
    created_at: view.createdAt,
    updated_at: view.updatedAt
  }
}

function unpaidOf(owed: UnpaidCycle): Static<typeof Unpaid> {
  return {
    cycle_index: owed.cycle,
    attempt_id: owed.attemptId === null ? null : publicId('ba', owed.attemptId),
    error_code: owed.errorCode,
    error_message: owed.errorMessage,
    decline_code: owed.declineCode,
    is_being_charged: owed.isBeingCharged
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
