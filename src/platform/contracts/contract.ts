import { sumOf } from '#kit/money'
import { type PlatformCustomer, readEmail } from '../customers/customer.ts'
import { instrumentParts, type PlatformPaymentMethod, readPaymentMethod } from '../customers/payment-method.ts'
import { Money } from '../wire/document.ts'
import type { Fields } from '../wire/fields.ts'
import { INTERVALS, type Interval } from '../wire/interval.ts'
import { attributeOf, GIFT_ATTRIBUTE, KEY_ATTRIBUTE } from './attributes.ts'

export type PlatformContractLine = {
  id: string
  title: string
  quantity: number
  productId: string | null
  variantId: string | null
  sellingPlanId: string | null
  sellingPlanName: string | null
  /** The present price of one, before discounts. A price change after some cycles is not included yet. */
  priceMinor: number
  /** The price of one after the last price change that is announced, before discounts: after a trial, for example. */
  lastingPriceMinor: number
  /** The present price of the whole quantity, after all discounts. */
  discountedMinor: number
}

/** Ids are the digits of global ids, as text. Amounts are minor units of the contract's currency. */
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
  /** Undefined if the platform withholds it from us: then nobody knows whether its first cycle is paid. */
  originOrder: { id: string } | null | undefined
  lines: PlatformContractLine[]
  /**
   * The price of one cycle without delivery: the sum of the lines' discounted prices, each after the last price change that
   * its selling plan announces. The first price of a trial is not included. Our discounts for members and those of grants are not
   * taken off: they come and go, and nobody has agreed another price by that.
   */
  priceMinor: number
  /** What a cycle costs by line, in the order of `lines`, after all present discounts with ours; after the last price change that is announced. */
  lineChargesMinor: number[]
  /** What our discounts for members take off `priceMinor` (member-discounts.ts). */
  memberDiscountMinor: number
  /** What discounts of grants take off the next cycle besides (contract-grants.ts). */
  grantedDiscountMinor: number
  /** After its present discounts. */
  deliveryPriceMinor: number
  /** Undefined if the platform withholds it from us. */
  paymentMethod: PlatformPaymentMethod | null | undefined
  /** The payment method that the contract is charged to: the last part of its global id. Undefined as above. */
  paymentMethodId: string | null | undefined
  /** The key under which we created the contract; null when someone else did. */
  createKey: string | null
  /** The recipient of a gift, as the creator of the contract wrote it: a customer's global id or number, or an e-mail address. */
  giftReceiver: string | null
}

/** A contract after a change: enough to recognise that the webhook about the change brings nothing new. */
export type ChangedContract = { id: string; status: string; revision: string; nextBillingDate: Temporal.Instant | null }

export const LineParts = `fragment LineParts on SubscriptionLineConnection {
  nodes {
    id title quantity productId variantId sellingPlanId sellingPlanName
    currentPrice { ${Money} }
    lineDiscountedPrice { ${Money} }
    pricingPolicy { cycleDiscounts { afterCycle computedPrice { ${Money} } } }
  }
  pageInfo { hasNextPage endCursor }
}`

export const ContractParts = `fragment ContractParts on SubscriptionContract {
  id status createdAt updatedAt nextBillingDate currencyCode revisionId
  billingPolicy { interval intervalCount minCycles maxCycles }
  customer { id firstName lastName updatedAt defaultEmailAddress { emailAddress } }
  originOrder { id }
  deliveryPrice { ${Money} }
  customerPaymentMethod { id ${instrumentParts} }
  customAttributes { key value }
}
${LineParts}`

/** The payload of the contract mutations, for `readChangedContract`. */
export const changedContract = 'contract { id status nextBillingDate revisionId } userErrors { field message code }'

/** Reads ContractParts with `lines { ...LineParts }`. */
export function readContract(contract: Fields): PlatformContract {
  const currency = contract.text('currencyCode')
  const policy = contract.at('billingPolicy')
  // A contract without a customer has ended.
  const customer = contract.atIfAny('customer')
  const originOrder = contract.maybeAt('originOrder')
  const paymentMethod = contract.maybeAt('customerPaymentMethod')
  const lines = contract
    .at('lines')
    .list('nodes')
    .map((line) => readLine(line, currency))
  const lineChargesMinor = lines.map(recurringPrice)
  return {
    id: contract.id('id'),
    status: contract.lower('status'),
    createdAt: contract.instant('createdAt'),
    updatedAt: contract.instant('updatedAt'),
    nextBillingDate: contract.maybeInstant('nextBillingDate'),
    currency,
    revision: contract.digits('revisionId'),
    interval: policy.oneOf('interval', INTERVALS),
    intervalCount: policy.int('intervalCount'),
    minCycles: policy.maybeInt('minCycles'),
    maxCycles: policy.maybeInt('maxCycles'),
    customer: customer && {
      id: customer.id('id'),
      email: readEmail(customer),
      firstName: customer.maybeText('firstName'),
      lastName: customer.maybeText('lastName'),
      updatedAt: customer.instant('updatedAt')
    },
    originOrder: contract.isWithheld('originOrder') ? undefined : originOrder && { id: originOrder.id('id') },
    lines,
    priceMinor: sumOf(lineChargesMinor),
    lineChargesMinor,
    memberDiscountMinor: 0,
    grantedDiscountMinor: 0,
    deliveryPriceMinor: contract.money('deliveryPrice', currency),
    ...(contract.isWithheld('customerPaymentMethod') || paymentMethod?.isWithheld('instrument')
      ? { paymentMethod: undefined, paymentMethodId: undefined }
      : { paymentMethod: readPaymentMethod(paymentMethod), paymentMethodId: paymentMethod?.token('id') ?? null }),
    createKey: attributeOf(contract, KEY_ATTRIBUTE),
    giftReceiver: attributeOf(contract, GIFT_ATTRIBUTE)
  }
}

export function readLine(line: Fields, currency: string): PlatformContractLine {
  const priceMinor = line.money('currentPrice', currency)
  return {
    id: line.token('id'),
    title: line.text('title'),
    quantity: line.int('quantity'),
    productId: line.maybeId('productId'),
    variantId: line.maybeId('variantId'),
    sellingPlanId: line.maybeId('sellingPlanId'),
    sellingPlanName: line.maybeText('sellingPlanName'),
    priceMinor,
    lastingPriceMinor: lastingPrice(line, currency) ?? priceMinor,
    discountedMinor: line.money('lineDiscountedPrice', currency)
  }
}

type PricedLine = Pick<PlatformContractLine, 'quantity' | 'priceMinor' | 'lastingPriceMinor' | 'discountedMinor'>

/**
 * The price of a line with its discounts after the last price change that was announced. `discountedMinor` belongs to the
 * present price: in a trial, to the price of the trial. The platform does not state the discount on the later price, so we
 * assume the same share.
 */
export function recurringPrice(line: PricedLine): number {
  const { quantity, discountedMinor } = line
  const present = line.priceMinor * quantity
  const lasting = line.lastingPriceMinor * quantity
  if (lasting === present) return discountedMinor
  if (present === 0) return lasting
  // Rounded to the nearest minor unit, in whole numbers that do not overflow.
  return Number((BigInt(lasting) * BigInt(discountedMinor) * 2n + BigInt(present)) / (BigInt(present) * 2n))
}

/** The price of one after the last price change that is announced; null where none is. */
function lastingPrice(line: Fields, currency: string): number | null {
  const changes = (line.maybeAt('pricingPolicy')?.maybeList('cycleDiscounts') ?? [])
    .filter((change) => change.int('afterCycle') > 0)
    .sort((a, b) => b.int('afterCycle') - a.int('afterCycle'))
  return changes[0]?.money('computedPrice', currency) ?? null
}

/** Reads `changedContract`. */
export function readChangedContract(payload: Fields): ChangedContract {
  const contract = payload.at('contract')
  return {
    id: contract.id('id'),
    status: contract.lower('status'),
    revision: contract.digits('revisionId'),
    nextBillingDate: contract.maybeInstant('nextBillingDate')
  }
}
