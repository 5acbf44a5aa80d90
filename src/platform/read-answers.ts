import type { ContractMoved } from './connector.ts'
import type { Fields } from './fields.ts'
import {
  INTERVALS,
  type PlatformAttempt,
  type PlatformContract,
  type PlatformContractLine,
  type PlatformCustomer,
  type PlatformOrder,
  type PlatformPaymentMethod
} from './shapes.ts'

const INSTRUMENTS: Record<string, string> = {
  CustomerCreditCard: 'card',
  CustomerShopPayAgreement: 'shop_pay',
  CustomerPaypalBillingAgreement: 'paypal',
  BankAccount: 'bank_account'
}

/** The answer to ContractParts with LineParts. */
export function readContract(contract: Fields): PlatformContract {
  const currency = contract.text('currencyCode')
  const policy = contract.at('billingPolicy')
  const customer = contract.maybeAt('customer')
  const originOrder = contract.maybeAt('originOrder')
  const lines = contract.at('lines').list('nodes')
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
      email: customer.maybeAt('defaultEmailAddress')?.maybeText('emailAddress') ?? null,
      firstName: customer.maybeText('firstName'),
      lastName: customer.maybeText('lastName'),
      updatedAt: customer.instant('updatedAt')
    },
    originOrder: originOrder && { id: originOrder.id('id'), name: originOrder.text('name') },
    lines: lines.map((line) => readLine(line, currency)),
    priceMinor: lines.reduce((sum, line) => sum + lastingPrice(line, currency), 0),
    deliveryPriceMinor: money(contract.at('deliveryPrice'), currency),
    paymentMethod: readPaymentMethod(contract.maybeAt('customerPaymentMethod')),
    paymentMethodId: maybeLastPart(contract.maybeAt('customerPaymentMethod')),
    createKey: attribute(contract, KEY_ATTRIBUTE),
    giftReceiver: attribute(contract, GIFT_ATTRIBUTE)
  }
}

/** The attribute of a contract that bears the key it was made under: the platform knows no idempotency key here. */
export const KEY_ATTRIBUTE = '_perennial_key'
/** The attribute of a contract that names the customer it is a gift for. */
export const GIFT_ATTRIBUTE = 'gift_receiver'

/** Of a contract; null when it has none of this name, or an empty one. */
export function attribute(contract: Fields, key: string): string | null {
  const found = contract.list('customAttributes').find((one) => one.text('key') === key)
  return found?.maybeText('value') || null
}

function readLine(line: Fields, currency: string): PlatformContractLine {
  return {
    id: lastPart(line),
    title: line.text('title'),
    quantity: line.int('quantity'),
    productId: line.maybeId('productId'),
    variantId: line.maybeId('variantId'),
    sellingPlanId: line.maybeId('sellingPlanId'),
    sellingPlanName: line.maybeText('sellingPlanName'),
    priceMinor: money(line.at('currentPrice'), currency)
  }
}

/**
 * What a line costs with its discounts once the last change of its price that was announced has come. `lineDiscountedPrice`
 * is of the present price: in a trial, of that of the trial. What a discount takes off then is not told, so it is taken to be
 * the same share.
 */
export function lastingPrice(line: Fields, currency: string): number {
  const discounted = money(line.at('lineDiscountedPrice'), currency)
  const changes = (line.maybeAt('pricingPolicy')?.maybeList('cycleDiscounts') ?? [])
    .filter((change) => change.int('afterCycle') > 0)
    .sort((a, b) => b.int('afterCycle') - a.int('afterCycle'))
  if (!changes[0]) return discounted
  const quantity = line.int('quantity')
  const present = money(line.at('currentPrice'), currency) * quantity
  const lasting = money(changes[0].at('computedPrice'), currency) * quantity
  if (present === 0) return lasting
  // Rounded to the nearest minor unit, in whole numbers that do not overflow.
  return Number((BigInt(lasting) * BigInt(discounted) * 2n + BigInt(present)) / (BigInt(present) * 2n))
}

/** Lines are told apart by UUIDs, not by numbers, and payment methods by tokens. */
function lastPart(named: Fields): string {
  const id = named.text('id')
  return id.slice(id.lastIndexOf('/') + 1)
}

const maybeLastPart = (named: Fields | null) => named && lastPart(named)

/** The answer to the contract mutations, all of which tell the same few fields. */
export function readMoved(payload: Fields): ContractMoved {
  const contract = payload.at('contract')
  return {
    id: contract.id('id'),
    status: contract.lower('status'),
    revision: contract.digits('revisionId'),
    nextBillingDate: contract.maybeInstant('nextBillingDate')
  }
}

/** The answer to AttemptParts. */
export function readAttempt(attempt: Fields): PlatformAttempt {
  const contract = attempt.at('subscriptionContract')
  return {
    id: attempt.id('id'),
    idempotencyKey: attempt.text('idempotencyKey'),
    contractId: contract.id('id'),
    ...readState(attempt.at('state'), attempt.maybeText('errorMessage')),
    createdAt: attempt.instant('createdAt'),
    completedAt: attempt.maybeInstant('completedAt'),
    paymentMethod: readPaymentMethod(contract.maybeAt('customerPaymentMethod'))
  }
}

type StateParts = Pick<PlatformAttempt, 'state' | 'errorCode' | 'errorMessage' | 'nextActionUrl' | 'order'>

const PENDING: StateParts = { state: 'pending', errorCode: null, errorMessage: null, nextActionUrl: null, order: null }

function readState(state: Fields, errorMessage: string | null): StateParts {
  switch (state.text('__typename')) {
    case 'SubscriptionBillingAttemptSuccessState': {
      const order = state.maybeAt('order')
      return { ...PENDING, state: 'success', order: order && readOrder(order) }
    }
    case 'SubscriptionBillingAttemptActionRequiredState':
      return {
        ...PENDING,
        state: 'action_required',
        nextActionUrl: state.maybeAt('action')?.maybeText('nextActionUrl') ?? null
      }
    case 'SubscriptionBillingAttemptFailedState': {
      const error = state.at('error')
      const code = ['paymentCode', 'inventoryCode', 'generalCode'].find((key) => error.has(key))
      return {
        ...PENDING,
        state: 'failed',
        errorCode: code ? error.lower(code) : 'unexpected_error',
        errorMessage: errorMessage ?? error.maybeText('message')
      }
    }
    default:
      return PENDING
  }
}

/** The answer to OrderParts. */
export function readOrder(order: Fields): PlatformOrder {
  const currency = order.text('currencyCode')
  const total = (key: string) => {
    const set = order.maybeAt(key)
    return set === null ? 0 : money(set.at('shopMoney'), currency)
  }
  const address = order.maybeAt('shippingAddress') ?? order.maybeAt('billingAddress')
  const name = order.text('name')
  return {
    id: order.id('id'),
    name,
    number: String(order.int('number')),
    createdAt: order.instant('createdAt'),
    processedAt: order.instant('processedAt'),
    updatedAt: order.instant('updatedAt'),
    cancelledAt: order.maybeInstant('cancelledAt'),
    currency,
    totalMinor: total('totalPriceSet'),
    taxMinor: total('totalTaxSet'),
    discountMinor: total('totalDiscountsSet'),
    refundedMinor: total('totalRefundedSet'),
    // The platform says nothing of the payment of an order that has none yet.
    financialStatus: order.maybeText('displayFinancialStatus')?.toLowerCase() ?? 'pending',
    customerId: order.maybeAt('customer')?.id('id') ?? null,
    email: order.maybeText('email'),
    gateway: order.texts('paymentGatewayNames')[0] ?? null,
    countryCode: address?.maybeText('countryCodeV2') ?? null,
    province: address?.maybeText('province') ?? null,
    tags: order.texts('tags'),
    discountCodes: order.texts('discountCodes'),
    sourceName: order.maybeText('sourceName')
  }
}

/** The answer to CustomersByIds and CustomerUpdate. */
export function readCustomer(customer: Fields): PlatformCustomer {
  const address = customer.maybeAt('defaultAddress')
  return {
    id: customer.id('id'),
    email: customer.maybeAt('defaultEmailAddress')?.maybeText('emailAddress') ?? null,
    firstName: customer.maybeText('firstName'),
    lastName: customer.maybeText('lastName'),
    countryCode: address?.maybeText('countryCodeV2') ?? null,
    provinceCode: address?.maybeText('provinceCode') ?? null,
    createdAt: customer.instant('createdAt'),
    updatedAt: customer.instant('updatedAt')
  }
}

function readPaymentMethod(method: Fields | null): PlatformPaymentMethod | null {
  const instrument = method?.maybeAt('instrument')
  if (!instrument) return null
  return {
    type: INSTRUMENTS[instrument.text('__typename')] ?? 'other',
    lastFour: instrument.maybeText('lastDigits'),
    brand: instrument.maybeText('brand')
  }
}

/** A MoneyV2. Amounts of one contract or order are in its one currency; another would make sums meaningless. */
export function money(value: Fields, currency: string): number {
  if (value.text('currencyCode') !== currency) value.refuse('currencyCode', `must be ${currency}`)
  return value.amount('amount', currency)
}
