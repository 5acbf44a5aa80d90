import { fieldsIn, Money } from '../wire/document.ts'
import type { Fields } from '../wire/fields.ts'
import { type Page, readPage } from '../wire/pages.ts'

/** A line of an order. `priceMinor` is of one piece, before `discountMinor`, which is of all of them. */
export type OrderLine = {
  id: string
  productId: string | null
  variantId: string | null
  title: string
  /** As ordered: pieces that are gone since, by an edit or a refund, are among them. */
  quantity: number
  /** How many are left; only where some are gone. */
  currentQuantity?: number
  /** Only where a gift card is bought. */
  isGiftCard?: true
  priceMinor: number
  discountMinor: number
  /** Null also where the source does not say: messages have neither selling plans nor contracts. */
  sellingPlanId: string | null
  contractId: string | null
}

export type OrderCoupon = { code: string; amountMinor: number }

/** What an automatic discount took off, such as that of a discount function. */
export type AutomaticDiscount = { title: string; amountMinor: number }

/** What an order says besides its totals. Amounts are minor units of the order's currency. */
export type OrderDetails = {
  /** Of the billing address, else of the shipping address; null where neither has one. */
  customerName: string | null
  customer: { firstName: string | null; lastName: string | null; createdAt: Temporal.Instant | null } | null
  subtotalMinor: number
  /** True where prices include tax, null where the source does not say; left out where tax comes on top. */
  isTaxIncluded?: true | null
  /** What the order comes to after edits, returns and refunds; only where pieces of it are gone. */
  currentTotalMinor?: number
  /** Before discounts. */
  shippingMinor: number
  /** What discounts took off the shipping; only where there are any: reports of before do not differ from those of now. */
  shippingDiscountMinor?: number
  appId: string | null
  /** Null where the source has only the id. */
  appName: string | null
  attributes: { name: string; value: string }[]
  coupons: OrderCoupon[]
  /** Only where there are any: reports of before do not differ from those of now. */
  automaticDiscounts?: AutomaticDiscount[]
  lines: OrderLine[]
  refunds: PlatformRefund[]
  transactions: PlatformTransaction[]
}

/** A refund of an order. `amountMinor` is what was paid back so far. */
export type PlatformRefund = {
  id: string
  orderId: string
  amountMinor: number
  refundedAt: Temporal.Instant
  transactions: PlatformTransaction[]
}

/** A movement of money. `kind`, `status` and `gateway` are in lower case. */
export type PlatformTransaction = {
  id: string
  orderId: string
  kind: string
  status: string
  gateway: string | null
  amountMinor: number
  parentId: string | null
  /** The gift card that paid, or got it back; only for the gateway `gift_card`. */
  giftCardId: string | null
  processedAt: Temporal.Instant
}

export type PlatformDispute = {
  id: string
  orderId: string
  /** chargeback or inquiry. */
  type: string
  /** needs_response, under_review, won, lost, accepted, prevented, … */
  status: string
  reason: string | null
  networkReasonCode: string | null
  amountMinor: number
  currency: string
  initiatedAt: Temporal.Instant
  finalizedAt: Temporal.Instant | null
}

const allocations = `discountAllocations {
    allocatedAmountSet { shopMoney { ${Money} } }
    discountApplication { ... on DiscountCodeApplication { code } ... on AutomaticDiscountApplication { title } }
  }`

export const OrderLineParts = `fragment OrderLineParts on LineItem {
  id title quantity currentQuantity isGiftCard
  product { id }
  variant { id }
  sellingPlan { sellingPlanId }
  contract { id }
  originalTotalSet { shopMoney { ${Money} } }
  ${allocations}
}`

export const OrderTransactionParts = `fragment OrderTransactionParts on OrderTransaction {
  id kind status gateway processedAt createdAt receiptJson
  parentTransaction { id }
  amountSet { shopMoney { ${Money} } }
}`

const moreParts = `customer { firstName lastName createdAt }
  billingAddress { name }
  shippingAddress { name }
  app { id name }
  customAttributes { key value }
  taxesIncluded
  currentTotalPriceSet { shopMoney { ${Money} } }
  subtotalPriceSet { shopMoney { ${Money} } }
  totalShippingPriceSet { shopMoney { ${Money} } }
  shippingLine { ${allocations} }`

const refundParts = `id createdAt processedAt totalRefundedSet { shopMoney { ${Money} } }`

/** Beside OrderParts; the lists are pages of their first entries. */
export const detailParts = (first: { lines: number; transactions: number; refunds: number }) => `
  ${moreParts}
  lineItems(first: ${first.lines}) { nodes { ...OrderLineParts } pageInfo { hasNextPage endCursor } }
  transactions(first: ${first.transactions}) { ...OrderTransactionParts }
  refunds(first: ${first.refunds}) { ${refundParts} }`

/** The same for a bulk operation, which reads lists whole and knows no named fragments. */
export const bulkDetailParts = `
  ${moreParts}
  lineItems { edges { node { ${fieldsIn(OrderLineParts)} } } }
  transactions { ${fieldsIn(OrderTransactionParts)} }
  refunds { ${refundParts} }`

/** A page of the lines of an order, with what its codes and automatic discounts took off them. */
export type LinesPage = Page<OrderLine> & { coupons: OrderCoupon[]; automatic: AutomaticDiscount[] }

/** Reads detailParts, with the first page of the lines. */
export function readDetails(
  order: Fields,
  orderId: string,
  currency: string
): { details: OrderDetails; lines: LinesPage } {
  const total = (key: string) => order.maybeAt(key)?.money('shopMoney', currency) ?? 0
  const customer = order.maybeAt('customer')
  const firstName = customer?.maybeText('firstName') ?? null
  const lastName = customer?.maybeText('lastName') ?? null
  const app = order.maybeAt('app')
  const lines = readLines(order.at('lineItems'), currency)
  const ofDelivery = (order.maybeAt('shippingLine')?.maybeList('discountAllocations') ?? []).map((one) =>
    allocationOf(one, currency)
  )
  const details: OrderDetails = {
    customerName: nameOf([
      order.maybeAt('billingAddress')?.maybeText('name'),
      order.maybeAt('shippingAddress')?.maybeText('name')
    ]),
    customer: customer && { firstName, lastName, createdAt: customer.maybeInstant('createdAt') },
    subtotalMinor: total('subtotalPriceSet'),
    ...withTaxIncluded(order, 'taxesIncluded'),
    ...(order.has('currentTotalPriceSet') && { currentTotalMinor: total('currentTotalPriceSet') }),
    shippingMinor: total('totalShippingPriceSet'),
    ...withShippingDiscount(ofDelivery),
    appId: app?.id('id') ?? null,
    appName: app?.text('name') ?? null,
    attributes: order
      .maybeList('customAttributes')
      .map((one) => ({ name: one.text('key'), value: one.maybeText('value') ?? '' })),
    coupons: [...lines.coupons, ...couponsOf(ofDelivery)],
    ...withAutomatic([...lines.automatic, ...automaticOf(ofDelivery)]),
    lines: lines.items,
    refunds: order.maybeList('refunds').map((refund) => ({
      id: refund.id('id'),
      orderId,
      amountMinor: refund.at('totalRefundedSet').money('shopMoney', currency),
      refundedAt: refund.maybeInstant('processedAt') ?? refund.instant('createdAt'),
      transactions: []
    })),
    transactions: order.maybeList('transactions').map((one) => readTransaction(one, orderId, currency))
  }
  return { details, lines }
}

function readTransaction(one: Fields, orderId: string, currency: string): PlatformTransaction {
  return {
    id: one.id('id'),
    orderId,
    kind: one.lower('kind'),
    status: one.lower('status'),
    gateway: one.maybeText('gateway'),
    amountMinor: one.at('amountSet').money('shopMoney', currency),
    parentId: one.maybeAt('parentTransaction')?.id('id') ?? null,
    giftCardId: giftCardIn(one.raw('receiptJson')),
    processedAt: one.maybeInstant('processedAt') ?? one.instant('createdAt')
  }
}

/** The number of the gift card in what a payment's provider said, which is no more than a hint: null where it says something else. */
export function giftCardIn(receipt: unknown): string | null {
  try {
    const said = typeof receipt === 'string' ? JSON.parse(receipt) : receipt
    const id = String((said as { gift_card_id?: unknown } | null)?.gift_card_id ?? '')
    return /^[0-9]{1,20}$/.test(id) ? id : null
  } catch {
    return null
  }
}

export function readLines(connection: Fields, currency: string): LinesPage {
  const coupons: OrderCoupon[] = []
  const automatic: AutomaticDiscount[] = []
  const page = readPage(connection, (line) => {
    const allocated = line.maybeList('discountAllocations').map((one) => allocationOf(one, currency))
    coupons.push(...couponsOf(allocated))
    automatic.push(...automaticOf(allocated))
    const quantity = line.int('quantity')
    const originalMinor = line.at('originalTotalSet').money('shopMoney', currency)
    return {
      id: line.id('id'),
      productId: line.maybeAt('product')?.id('id') ?? null,
      variantId: line.maybeAt('variant')?.id('id') ?? null,
      title: line.text('title'),
      quantity,
      ...withWhatIsLeft(quantity, line.maybeInt('currentQuantity')),
      ...withGiftCard(line, 'isGiftCard'),
      priceMinor: quantity === 0 ? 0 : Math.round(originalMinor / quantity),
      discountMinor: allocated.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
      sellingPlanId: line.maybeAt('sellingPlan')?.maybeId('sellingPlanId') ?? null,
      contractId: line.maybeAt('contract')?.id('id') ?? null
    }
  })
  return { ...page, coupons, automatic }
}

type Allocation = { code: string | null; title: string | null; amountMinor: number }

const allocationOf = (one: Fields, currency: string): Allocation => ({
  code: one.at('discountApplication').maybeText('code'),
  title: one.at('discountApplication').maybeText('title'),
  amountMinor: one.at('allocatedAmountSet').money('shopMoney', currency)
})

const couponsOf = (allocated: Allocation[]): OrderCoupon[] =>
  allocated.flatMap(({ code, amountMinor }) => (code === null ? [] : { code, amountMinor }))

const automaticOf = (allocated: Allocation[]): AutomaticDiscount[] =>
  allocated.flatMap(({ title, amountMinor }) => (title === null ? [] : { title, amountMinor }))

/** What was taken off the shipping in all; nothing where that is none. */
export function withShippingDiscount(allocated: { amountMinor: number }[]): { shippingDiscountMinor?: number } {
  const shippingDiscountMinor = allocated.reduce((sum, { amountMinor }) => sum + amountMinor, 0)
  return shippingDiscountMinor === 0 ? {} : { shippingDiscountMinor }
}

/** Whether prices include tax. */
export function withTaxIncluded(order: Fields, key: string): { isTaxIncluded?: true | null } {
  if (!order.has(key)) return { isTaxIncluded: null }
  return order.flag(key) ? { isTaxIncluded: true } : {}
}

/** How many pieces of a line are left; nothing where all are. */
export const withWhatIsLeft = (quantity: number, left: number | null): { currentQuantity?: number } =>
  left === null || left >= quantity ? {} : { currentQuantity: Math.max(0, left) }

/** Whether a line buys a gift card. */
export const withGiftCard = (line: Fields, key: string): { isGiftCard?: true } =>
  line.has(key) && line.flag(key) ? { isGiftCard: true } : {}

/** The details without what the order comes to now, unless pieces of it are gone. */
export function withCurrentTotal({ currentTotalMinor, ...details }: OrderDetails): OrderDetails {
  const isLess = details.lines.some((line) => line.currentQuantity !== undefined)
  return isLess && currentTotalMinor !== undefined ? { ...details, currentTotalMinor } : details
}

/** One entry per title, with all that it took off; nothing where there is none. */
export function withAutomatic(discounts: AutomaticDiscount[]): { automaticDiscounts?: AutomaticDiscount[] } {
  if (discounts.length === 0) return {}
  const sums = new Map<string, number>()
  for (const { title, amountMinor } of discounts) sums.set(title, (sums.get(title) ?? 0) + amountMinor)
  return { automaticDiscounts: [...sums].map(([title, amountMinor]) => ({ title, amountMinor })) }
}

/** One entry per code, with all that it took off. */
export function sumByCode(coupons: OrderCoupon[]): OrderCoupon[] {
  const sums = new Map<string, number>()
  for (const { code, amountMinor } of coupons) sums.set(code, (sums.get(code) ?? 0) + amountMinor)
  return [...sums].map(([code, amountMinor]) => ({ code, amountMinor }))
}

/** The first that is not empty. */
export const nameOf = (names: (string | null | undefined)[]): string | null =>
  names.find((name) => name?.trim())?.trim() ?? null
