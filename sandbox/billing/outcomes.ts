/** The declines of SubscriptionBillingAttemptErrorCode that a card can be scripted to give, with their messages. */
const DECLINES = {
  AMOUNT_TOO_LARGE: 'The amount is too large.',
  AMOUNT_TOO_SMALL: 'The amount is too small.',
  AUTHENTICATION_ERROR: 'Authentication could not be carried out.',
  AUTHENTICATION_FAILED: 'The customer did not authenticate the payment.',
  AUTHENTICATION_REQUIRED: 'The payment needs authentication by the customer.',
  BUYER_CANCELED_PAYMENT_METHOD: 'The customer cancelled the payment method.',
  CALL_ISSUER: 'The card issuer must be called.',
  CANCELLED_PAYMENT: 'The payment was cancelled.',
  CARD_DECLINED: 'The card was declined.',
  CARD_NUMBER_INCORRECT: 'The card number is incorrect.',
  CONFIRMATION_REJECTED: 'The confirmation was rejected.',
  CUSTOMER_INVALID: 'The customer is invalid.',
  CUSTOMER_NOT_FOUND: 'The customer was not found.',
  DO_NOT_HONOR: 'The issuer declined without a reason.',
  EXPIRED_BUYER_ACTION: 'The customer did not act in time.',
  EXPIRED_CARD: 'The card has expired.',
  EXPIRED_PAYMENT_METHOD: 'The payment method has expired.',
  FRAUD_SUSPECTED: 'The payment was declined as suspected fraud.',
  FREE_GIFT_CARD_NOT_ALLOWED: 'A gift card cannot be free.',
  GENERIC_ERROR: 'The payment failed.',
  INCORRECT_ADDRESS: 'The address is incorrect.',
  INCORRECT_NUMBER: 'The card number is incorrect.',
  INCORRECT_ZIP: 'The postal code is incorrect.',
  INSUFFICIENT_FUNDS: 'The card has insufficient funds.',
  INSUFFICIENT_INVENTORY: 'A product is out of stock.',
  INVALID_BILLING_ADDRESS: 'The billing address is invalid.',
  INVALID_CURRENCY: 'The currency is not accepted.',
  INVALID_CUSTOMER_BILLING_AGREEMENT: 'The billing agreement is no longer valid.',
  INVALID_EXPIRY_DATE: 'The expiry date is invalid.',
  INVALID_NUMBER: 'The card number is invalid.',
  INVALID_PAYMENT_METHOD: 'The payment method is invalid.',
  INVALID_PURCHASE_TYPE: 'The purchase type is not accepted.',
  INVALID_SHIPPING_ADDRESS: 'The shipping address is invalid.',
  INVENTORY_ALLOCATIONS_NOT_FOUND: 'No inventory was allocated.',
  INVOICE_ALREADY_PAID: 'The billing cycle has already been paid.',
  MERCHANT_ACCOUNT_ERROR: "The merchant's account cannot take payments.",
  MERCHANT_RULE: "The payment was declined by the merchant's rules.",
  NON_TEST_ORDER_LIMIT_REACHED: 'The limit of orders has been reached.',
  OFF_SESSION_REJECTED: 'The issuer refuses payments without the customer present.',
  PAYMENT_METHOD_DECLINED: 'Payment method was declined by processor.',
  PAYMENT_METHOD_INCOMPATIBLE_WITH_GATEWAY_CONFIG: 'The payment method does not suit the gateway.',
  PAYMENT_METHOD_NOT_FOUND: 'The payment method was not found.',
  PAYMENT_METHOD_NOT_SPECIFIED: 'The contract has no payment method.',
  PAYMENT_METHOD_UNSUPPORTED: 'The payment method is not supported.',
  PAYMENT_PROVIDER_ERROR: 'The payment provider had an error.',
  PAYMENT_PROVIDER_IS_NOT_ENABLED: 'The payment provider is not enabled.',
  PAYPAL_ERROR_GENERAL: 'The wallet had an error.',
  PROCESSING_ERROR: 'The payment could not be processed.',
  PURCHASE_TYPE_NOT_SUPPORTED: 'The purchase type is not supported.',
  RETRY_DECLINED: 'The retry was declined.',
  TEST_MODE: 'The gateway is in test mode.',
  TRANSACTION_LIMIT_EXCEEDED: 'The card is over its limit.',
  TRANSIENT_ERROR: 'A passing error; try again.',
  UNEXPECTED_ERROR: 'An unexpected error.'
} as const satisfies Record<string, string>

export type DeclineCode = keyof typeof DECLINES

export function messageOf(code: DeclineCode): string {
  return DECLINES[code]
}

const SPECIAL = [
  'success',
  '3ds',
  'late',
  'never',
  'lost',
  'duplicate',
  'reported_failed',
  'corrected',
  'reversed'
] as const

/** Those that are no decline. */
export type SpecialOutcome = (typeof SPECIAL)[number]

/** All outcomes that a card can be scripted to have. */
export const OUTCOMES: readonly string[] = [...SPECIAL, ...Object.keys(DECLINES).map((code) => code.toLowerCase())]

/** The decline code of an outcome; null if the outcome leads to a payment. */
export function declineOf(outcome: string): DeclineCode | null {
  const code = outcome.toUpperCase()
  return code in DECLINES ? (code as DeclineCode) : null
}

const INVENTORY = new Set<string>(['INSUFFICIENT_INVENTORY', 'INVENTORY_ALLOCATIONS_NOT_FOUND'])
const GENERAL = new Set<string>([
  'CUSTOMER_INVALID',
  'CUSTOMER_NOT_FOUND',
  'FREE_GIFT_CARD_NOT_ALLOWED',
  'INVALID_BILLING_ADDRESS',
  'MERCHANT_ACCOUNT_ERROR',
  'NON_TEST_ORDER_LIMIT_REACHED',
  'PAYMENT_METHOD_INCOMPATIBLE_WITH_GATEWAY_CONFIG',
  'PAYMENT_METHOD_NOT_FOUND',
  'PAYMENT_METHOD_NOT_SPECIFIED',
  'PAYMENT_PROVIDER_IS_NOT_ENABLED'
])

/** The member of the union SubscriptionBillingAttemptError for a code. */
export function errorKindOf(code: string): 'Inventory' | 'General' | 'Unexpected' | 'Payment' {
  if (INVENTORY.has(code)) return 'Inventory'
  if (GENERAL.has(code)) return 'General'
  return code === 'UNEXPECTED_ERROR' ? 'Unexpected' : 'Payment'
}

/** The last digits of the test card for an outcome, so that a changed script looks like a changed card. */
export function cardDigits(outcome: string): string {
  if (outcome === '3ds') return '3155'
  return declineOf(outcome) ? '0002' : '4242'
}
