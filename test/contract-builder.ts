import type { PlatformContract, PlatformOrder } from '#platform'

type OrderDetails = NonNullable<PlatformOrder['details']>

let last = 5_000_000

/** A paid order of the platform, created at `at`. */
export function anOrder(at: Temporal.Instant, over: Partial<PlatformOrder> = {}): PlatformOrder {
  const number = String(++last)
  return {
    id: number,
    name: `#${number}`,
    number,
    createdAt: at,
    processedAt: at,
    updatedAt: at,
    cancelledAt: null,
    currency: 'USD',
    totalMinor: 2900,
    taxMinor: 0,
    discountMinor: 0,
    refundedMinor: 0,
    financialStatus: 'paid',
    customerId: null,
    email: null,
    gateway: 'bogus',
    countryCode: 'US',
    province: 'New York',
    tags: [],
    discountCodes: [],
    sourceName: 'web',
    ...over
  }
}

/** What an order says besides its totals: only what is given. */
export const orderDetails = (over: Partial<OrderDetails>): OrderDetails => ({
  customerName: null,
  customer: null,
  subtotalMinor: 2900,
  shippingMinor: 0,
  appId: null,
  appName: null,
  attributes: [],
  coupons: [],
  lines: [],
  refunds: [],
  transactions: [],
  ...over
})

/** The details of an order whose only line belongs to a contract. */
export const ofContract = (contractId: string): OrderDetails =>
  orderDetails({
    lines: [
      {
        id: '1',
        productId: '1',
        variantId: '1',
        title: 'VIP',
        quantity: 1,
        priceMinor: 2900,
        discountMinor: 0,
        sellingPlanId: null,
        contractId
      }
    ]
  })

/** A monthly contract with its own customer, created at `at` in a checkout. */
export function aContract(at: Temporal.Instant, over: Partial<PlatformContract> = {}): PlatformContract {
  const id = String(++last)
  const customerId = String(++last)
  const lines = over.lines ?? [
    {
      id: '1',
      title: 'VIP',
      quantity: 1,
      productId: '1',
      variantId: '1',
      sellingPlanId: null,
      sellingPlanName: null,
      priceMinor: 2900,
      lastingPriceMinor: 2900,
      discountedMinor: 2900
    }
  ]
  return {
    id,
    status: 'active',
    createdAt: at,
    updatedAt: at,
    nextBillingDate: null,
    currency: 'USD',
    revision: '1',
    interval: 'month',
    intervalCount: 1,
    minCycles: null,
    maxCycles: null,
    customer: {
      id: customerId,
      email: `c${customerId}@example.com`,
      firstName: 'Ada',
      lastName: 'Adler',
      updatedAt: at
    },
    originOrder: { id: String(++last) },
    lines,
    priceMinor: 2900,
    lineChargesMinor: lines.map(({ discountedMinor }) => discountedMinor),
    memberDiscountMinor: 0,
    grantedDiscountMinor: 0,
    deliveryPriceMinor: 0,
    paymentMethod: { type: 'card', lastFour: '4242', brand: 'visa' },
    paymentMethodId: 'card-1',
    createKey: null,
    giftReceiver: null,
    ...over
  }
}
