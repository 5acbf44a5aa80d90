// Ids are the digits of the platform's global ids, as text. Amounts are minor units of the shape's currency.

/** The four intervals that contracts and selling plans know. */
export type Interval = (typeof INTERVALS)[number]
export const INTERVALS = ['day', 'week', 'month', 'year'] as const

/** A page of a list. `after` leads to the next one; null on the last. */
export type Listed<T> = { items: T[]; after: string | null }

export type PlatformShop = { name: string; domain: string; timezone: string; currency: string }

/** `type` is `card`, `shop_pay`, `paypal`, `bank_account` or, for an instrument we do not know, `other`. */
export type PlatformPaymentMethod = { type: string; lastFour: string | null; brand: string | null }

export type PlatformContractLine = {
  id: string
  title: string
  quantity: number
  productId: string | null
  variantId: string | null
  sellingPlanId: string | null
  sellingPlanName: string | null
  /** The price of one as it is now, before discounts. A price that changes after some cycles is not yet in it. */
  priceMinor: number
}

export type PlatformContract = {
  id: string
  /** Lower case: active, paused, cancelled, expired, failed, stale, or a newer one. */
  status: string
  createdAt: Temporal.Instant
  updatedAt: Temporal.Instant
  nextBillingDate: Temporal.Instant | null
  currency: string
  /** Grows with every change of the contract; compare with `compareRevisions`. */
  revision: string
  interval: Interval
  intervalCount: number
  minCycles: number | null
  maxCycles: number | null
  customer: Pick<PlatformCustomer, 'id' | 'email' | 'firstName' | 'lastName' | 'updatedAt'> | null
  originOrder: { id: string; name: string } | null
  lines: PlatformContractLine[]
  /**
   * What one cycle costs without delivery: the sum of the lines' discounted prices, each as it is once every change that
   * its selling plan announced has come. The first price of a trial is no part of it.
   */
  priceMinor: number
  /** With what is taken off it now. */
  deliveryPriceMinor: number
  paymentMethod: PlatformPaymentMethod | null
  /** Which of its customer's it is charged to: the last part of the global id. */
  paymentMethodId: string | null
  /** The key that it was made under, where we have made it. */
  createKey: string | null
  /** Whom it is a gift for, as whoever made it has written that down: a customer's global id or number, or an e-mail address. */
  giftReceiver: string | null
}

export type PlatformOrder = {
  id: string
  /** `#1001` */
  name: string
  /** `1001` */
  number: string
  createdAt: Temporal.Instant
  processedAt: Temporal.Instant
  updatedAt: Temporal.Instant
  cancelledAt: Temporal.Instant | null
  currency: string
  totalMinor: number
  taxMinor: number
  discountMinor: number
  refundedMinor: number
  /** Lower case: paid, pending, partially_refunded, refunded, voided, … */
  financialStatus: string
  customerId: string | null
  email: string | null
  gateway: string | null
  /** Of the shipping address; of the billing address where nothing is shipped. */
  countryCode: string | null
  province: string | null
  tags: string[]
  discountCodes: string[]
  sourceName: string | null
}

export type PlatformAttemptState = 'pending' | 'action_required' | 'success' | 'failed'

export type PlatformAttempt = {
  id: string
  idempotencyKey: string
  contractId: string
  /** A state we do not know counts as pending: an attempt is over only when the platform says how it ended. */
  state: PlatformAttemptState
  /** Lower case; codes we do not know pass through. Set when, and only when, the state is failed. */
  errorCode: string | null
  errorMessage: string | null
  /** Where the customer answers the 3-D Secure challenge, while action is required. */
  nextActionUrl: string | null
  createdAt: Temporal.Instant
  completedAt: Temporal.Instant | null
  order: PlatformOrder | null
  paymentMethod: PlatformPaymentMethod | null
}

export type PlatformCustomer = {
  id: string
  email: string | null
  firstName: string | null
  lastName: string | null
  countryCode: string | null
  provinceCode: string | null
  createdAt: Temporal.Instant | null
  updatedAt: Temporal.Instant | null
}

/** What of a customer is to be changed; what is left out stays, null is taken away. */
export type CustomerChange = { id: string; email?: string | null; firstName?: string | null; lastName?: string | null }

export type PlanTerms = {
  name: string
  priceMinor: number
  currency: string
  interval: Interval
  intervalCount: number
  maxCycles?: number | null
  /** What a checkout takes in place of the price, which then begins with the first renewal. */
  firstPriceMinor?: number | null
}

/** What is sold when someone joins. Without a product of its own where products of the shop are sold under it. */
export type PlanProduct = {
  productId: string | null
  variantId: string | null
  sellingPlanGroupId: string
  sellingPlanId: string
}

/** A plan as the platform has it. `productIds`: what is to be on sale under it, nothing while it takes no joins. */
export type PlanOnSale = Omit<PlanProduct, 'sellingPlanId'> & { productIds: string[] }

export type AttemptRequest = {
  contractId: string
  /** Stored before the call and the same at every repetition: the platform charges once per key. */
  idempotencyKey: string
  originTime: Temporal.Instant
  /** The date of the cycle that is charged; the platform finds its own number for it. */
  cycleAt?: Temporal.Instant | null
}

/**
 * -1, 0 or 1 as revision `a` is older than, the same as or newer than `b`. Revisions are digits beyond 2^53, so they
 * compare by length first. Both must be digits without leading zeros, as the platform writes them.
 */
export function compareRevisions(a: string, b: string): number {
  if (a.length !== b.length) return a.length < b.length ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}

/** A contract that is to be made without a checkout. */
export type ContractRequest = {
  /** Stored before the call: by it the contract is found again when the answer was lost. */
  key: string
  customerId: string
  status: 'active' | 'paused'
  currency: string
  interval: Interval
  intervalCount: number
  maxCycles: number | null
  nextBillingAt: Temporal.Instant
  /** The platform's global id: the last part of these is no number. */
  paymentMethodId: string
  variantId: string
  /** 1 unless it says otherwise. */
  quantity?: number
  /** Of one. */
  priceMinor: number
  sellingPlan: { id: string; name: string } | null
  /** The customer that it is a gift for. */
  giftReceiverId?: string | null
}

export type BulkOperation = {
  id: string
  /** Lower case: created, running, completed, failed, canceling, canceled, expired, or a newer one. */
  status: string
  /** As it was given. */
  query: string
  errorCode: string | null
  /** How many things it has read so far. */
  objectCount: number
  /** Of a completed one that found something. What a failed one had read is no answer, and is not asked for. */
  url: string | null
}
