import { defineFact } from '#kit/outbox'

/** An order with the code of a customer is by somebody else: it may count as a referral. */
export const loyaltyReferralChecked = defineFact('loyalty_referral.checked', ({ orderId }: { orderId: number }) => ({
  orderingKey: `order:${orderId}`,
  data: {},
  refs: { orderId }
}))
