/**
 * What follows a failure.
 * - `soft`: the same card may work later; the store's retry schedule.
 * - `hard`: only a new payment method helps; the charge waits for one until the store's deadline.
 * - `inventory`: items are out of stock; a retry schedule of its own, which no card changes.
 * - `held`: no card helps and nothing is retried automatically; the state of the platform's contract, or a person, settles it. A
 *   cycle that is paid there is skipped.
 */
export type DeclineKind = 'soft' | 'hard' | 'inventory' | 'held'

/** Why a charge failed: `code` is the class that receivers branch on, `declineCode` the platform's own code. */
export type Decline = { code: DeclineClass; declineCode: string; kind: DeclineKind }

/** Every class, in the order of the documents, and what follows a failure of it. */
export const DECLINE_KINDS = {
  card_declined: 'soft',
  authentication_required: 'hard',
  expired_payment_method: 'hard',
  invalid_payment_method: 'hard',
  fraud_suspected: 'hard',
  customer_invalid: 'hard',
  // A retry could charge twice; the platform's state of the cycle settles it.
  already_paid: 'held',
  contract_not_billable: 'held',
  insufficient_inventory: 'inventory',
  // Another card changes nothing of it: the people who run the store get an alert, and the charge waits for them.
  invalid_order: 'held',
  // The shop's own fault: the people who run it get an alert.
  merchant_problem: 'soft',
  processing_error: 'soft',
  // The platform refused the call, which says nothing about the card: it is repeated under the same key before it fails.
  not_accepted: 'held'
} as const satisfies Record<string, DeclineKind>

export type DeclineClass = keyof typeof DECLINE_KINDS

/**
 * Where a code comes from. `charge`: SubscriptionBillingAttemptErrorCode of 2026-07; `2026-10`: what the next version adds to it;
 * `call`: BillingAttemptUserErrorCode, with which the platform refuses the call itself; `issuer`: codes of card issuers and payment
 * providers that the platform's list does not have, and that mean that the card may not be charged again.
 */
export type DeclineSource = 'charge' | '2026-10' | 'call' | 'issuer'

type Row = readonly [platformCode: string, code: DeclineClass, reason: string]

const ROWS: Record<DeclineSource, readonly Row[]> = {
  charge: [
    ['AMOUNT_TOO_LARGE', 'invalid_order', 'The amount is above what may be charged: the contract must cost less.'],
    ['AMOUNT_TOO_SMALL', 'invalid_order', 'The amount is below what can be charged: the contract must cost more.'],
    ['AUTHENTICATION_ERROR', 'authentication_required', 'The check of the customer failed; a repetition fails again.'],
    ['AUTHENTICATION_FAILED', 'authentication_required', 'The customer did not pass the check of their bank.'],
    [
      'AUTHENTICATION_REQUIRED',
      'authentication_required',
      'The bank wants the customer present, which a retry is not.'
    ],
    ['BUYER_CANCELED_PAYMENT_METHOD', 'invalid_payment_method', 'The customer has withdrawn the payment method.'],
    ['CALL_ISSUER', 'card_declined', 'The issuer wants a call by the card holder, after which the card works again.'],
    ['CANCELLED_PAYMENT', 'invalid_payment_method', 'The payment was called off, so this method is not charged again.'],
    ['CARD_DECLINED', 'card_declined', 'The issuer gave no reason; the same card often works days later.'],
    ['CARD_NUMBER_INCORRECT', 'invalid_payment_method', 'The number on file is wrong and stays wrong.'],
    ['CONFIRMATION_REJECTED', 'authentication_required', 'The customer refused to confirm the payment.'],
    ['CUSTOMER_INVALID', 'customer_invalid', "The customer's account cannot pay with what is on file."],
    ['CUSTOMER_NOT_FOUND', 'customer_invalid', 'The payment provider no longer knows the customer.'],
    ['DO_NOT_HONOR', 'card_declined', 'The issuer declined without a reason; it may pass days later.'],
    ['EXPIRED_BUYER_ACTION', 'authentication_required', 'The customer did not confirm the payment in time.'],
    ['EXPIRED_CARD', 'expired_payment_method', 'The card has expired.'],
    ['EXPIRED_PAYMENT_METHOD', 'expired_payment_method', 'The payment method has expired.'],
    ['FRAUD_SUSPECTED', 'fraud_suspected', 'Repeating a payment that looks like fraud makes it look worse.'],
    ['FREE_GIFT_CARD_NOT_ALLOWED', 'invalid_order', 'The order has a gift card at no price: its amount must change.'],
    ['GENERIC_ERROR', 'card_declined', 'No reason is known; a later try may pass.'],
    ['INCORRECT_ADDRESS', 'invalid_payment_method', 'The billing address on file does not match the card.'],
    ['INCORRECT_NUMBER', 'invalid_payment_method', 'The card number on file is wrong.'],
    ['INCORRECT_ZIP', 'invalid_payment_method', 'The postal code on file does not match the card.'],
    ['INSUFFICIENT_FUNDS', 'card_declined', 'There may be money on the account some days later.'],
    ['INSUFFICIENT_INVENTORY', 'insufficient_inventory', 'Something in the order is out of stock.'],
    ['INVALID_BILLING_ADDRESS', 'invalid_payment_method', 'The billing address on file is not accepted.'],
    ['INVALID_CURRENCY', 'invalid_order', "The contract's currency cannot be charged."],
    ['INVALID_CUSTOMER_BILLING_AGREEMENT', 'invalid_payment_method', 'The agreement behind the wallet is not valid.'],
    ['INVALID_EXPIRY_DATE', 'expired_payment_method', 'The expiry date on file is wrong.'],
    ['INVALID_NUMBER', 'invalid_payment_method', 'The number on file belongs to no card.'],
    ['INVALID_PAYMENT_METHOD', 'invalid_payment_method', 'The payment method must be replaced.'],
    ['INVALID_PURCHASE_TYPE', 'invalid_order', 'This kind of purchase cannot be charged on the contract.'],
    ['INVALID_SHIPPING_ADDRESS', 'invalid_order', 'The shipping address is missing or not accepted.'],
    ['INVENTORY_ALLOCATIONS_NOT_FOUND', 'insufficient_inventory', 'No location has the items of the order.'],
    ['INVOICE_ALREADY_PAID', 'already_paid', 'A retry could charge twice: the payment is searched for instead.'],
    ['MERCHANT_ACCOUNT_ERROR', 'merchant_problem', "The shop's account with its payment provider is at fault."],
    ['MERCHANT_RULE', 'fraud_suspected', 'A rule of the shop refuses this payment method.'],
    ['NON_TEST_ORDER_LIMIT_REACHED', 'merchant_problem', 'The shop may take no more real orders at present.'],
    ['OFF_SESSION_REJECTED', 'authentication_required', 'The bank wants the customer present, which a retry is not.'],
    ['PAYMENT_METHOD_DECLINED', 'card_declined', 'The processor gave no reason; a later try may pass.'],
    [
      'PAYMENT_METHOD_INCOMPATIBLE_WITH_GATEWAY_CONFIG',
      'invalid_payment_method',
      'A test payment method meets a live gateway, or the other way round.'
    ],
    ['PAYMENT_METHOD_NOT_FOUND', 'invalid_payment_method', 'The payment method no longer exists.'],
    ['PAYMENT_METHOD_NOT_SPECIFIED', 'invalid_payment_method', 'The contract has no payment method.'],
    ['PAYMENT_METHOD_UNSUPPORTED', 'invalid_payment_method', 'The shop cannot charge methods of this type.'],
    ['PAYMENT_PROVIDER_ERROR', 'processing_error', 'The payment provider had an error, which passes.'],
    ['PAYMENT_PROVIDER_IS_NOT_ENABLED', 'merchant_problem', 'The shop has switched its payment provider off.'],
    ['PAYPAL_ERROR_GENERAL', 'processing_error', 'The wallet had an error, which passes.'],
    ['PROCESSING_ERROR', 'processing_error', 'The payment could not be processed this time.'],
    ['PURCHASE_TYPE_NOT_SUPPORTED', 'invalid_order', 'This kind of purchase cannot be charged in the shop.'],
    ['RETRY_DECLINED', 'card_declined', 'This retry was declined; a later one may pass.'],
    ['TEST_MODE', 'merchant_problem', "The shop's gateway is in test mode."],
    ['TRANSACTION_LIMIT_EXCEEDED', 'card_declined', 'The card is over its limit, which is reset with time.'],
    ['TRANSIENT_ERROR', 'processing_error', 'An error that passes.'],
    ['UNEXPECTED_ERROR', 'processing_error', 'An error that nobody expected; a later try may pass.']
  ],
  '2026-10': [
    ['INCORRECT_CVC', 'invalid_payment_method', 'The security code on file is wrong.'],
    ['INCORRECT_PIN', 'invalid_payment_method', 'The PIN was wrong, and nobody can enter it in a retry.'],
    ['INVALID_AMOUNT', 'invalid_order', "The amount cannot be charged: the contract's price must change."],
    ['INVALID_CVC', 'invalid_payment_method', 'The security code on file is not valid.'],
    ['INVALID_REQUEST', 'invalid_order', 'The platform does not understand this order; a repetition is the same order.']
  ],
  call: [
    [
      'BILLING_CYCLE_CHARGE_BEFORE_EXPECTED_DATE',
      'not_accepted',
      "The platform's date of the cycle is later than ours."
    ],
    ['BILLING_CYCLE_SKIPPED', 'contract_not_billable', 'Someone has skipped the cycle on the platform.'],
    ['BLANK', 'not_accepted', 'The platform misses a field of the call.'],
    ['CONTRACT_NOT_FOUND', 'contract_not_billable', 'The platform does not find the contract.'],
    ['CONTRACT_PAUSED', 'contract_not_billable', 'The contract is paused on the platform.'],
    ['CONTRACT_TERMINATED', 'contract_not_billable', 'The contract has ended on the platform.'],
    ['CONTRACT_UNDER_REVIEW', 'contract_not_billable', "The platform examines the contract's first order."],
    ['CYCLE_INDEX_OUT_OF_RANGE', 'not_accepted', 'The platform has no such cycle.'],
    ['CYCLE_START_DATE_OUT_OF_RANGE', 'not_accepted', 'The platform has no cycle at this date.'],
    ['INVALID', 'not_accepted', 'The platform does not accept a field of the call.'],
    ['ORIGIN_TIME_BEFORE_CONTRACT_CREATION', 'not_accepted', 'The cycle is older than the contract there.'],
    ['ORIGIN_TIME_OUT_OF_RANGE', 'not_accepted', "The charge lies outside the platform's cycle."],
    ['PROCESSING_FAILED', 'not_accepted', 'The platform could not create the attempt.'],
    ['THROTTLED', 'not_accepted', 'The platform accepts no more calls at present.'],
    ['UPCOMING_CYCLE_LIMIT_EXCEEDED', 'not_accepted', 'The cycle is too far ahead for the platform.']
  ],
  issuer: [
    ['ACCOUNT_CLOSED', 'customer_invalid', 'The account behind the payment method is closed.'],
    ['LOST_CARD', 'invalid_payment_method', 'The card was reported lost.'],
    ['PICKUP_CARD', 'invalid_payment_method', 'The issuer wants the card withdrawn.'],
    ['PICK_UP_CARD', 'invalid_payment_method', 'The issuer wants the card withdrawn.'],
    [
      'REVOCATION_OF_ALL_AUTHORIZATIONS',
      'invalid_payment_method',
      'The card holder has forbidden every charge of the shop.'
    ],
    [
      'REVOCATION_OF_AUTHORIZATION',
      'invalid_payment_method',
      'The card holder has forbidden charges of this agreement.'
    ],
    ['STOLEN_CARD', 'invalid_payment_method', 'The card was reported stolen.'],
    ['STOP_PAYMENT_ORDER', 'invalid_payment_method', 'The card holder has had this payment stopped.']
  ]
}

/** A row of the published table; `reason` says why the code has its class. */
export type DeclineRow = Decline & { platformCode: string; source: DeclineSource; reason: string }

/** The published table: one row for each code. */
export const DECLINE_TABLE: readonly DeclineRow[] = Object.entries(ROWS).flatMap(([source, rows]) =>
  rows.map(([platformCode, code, reason]) => ({
    platformCode,
    ...declineFor(platformCode.toLowerCase(), code),
    source: source as DeclineSource,
    reason
  }))
)

const byCode = new Map<string, Decline>(
  DECLINE_TABLE.map(({ code, declineCode, kind }) => [declineCode, { code, declineCode, kind }])
)

/** The classes whose charges wait for a person when nothing else settles them. */
export const HELD_CLASSES: readonly DeclineClass[] = (Object.keys(DECLINE_KINDS) as DeclineClass[]).filter(
  (code) => DECLINE_KINDS[code] === 'held'
)

/** What a failure of this class needs is not a payment method, so a new one does not start its charge again. */
export const isBeyondCards = (code: string | null): boolean =>
  code === 'invalid_order' || code === 'insufficient_inventory'

/**
 * The class of a platform's error code, in any case. An unknown code is kept. It is retried as a declined card, unless it begins
 * with `incorrect_`: what a customer has entered wrongly stays wrong.
 */
export function declineOf(platformCode: string | null): Decline {
  const declineCode = (platformCode ?? 'unexpected_error').toLowerCase()
  const unknown = declineCode.startsWith('incorrect_') ? 'invalid_payment_method' : 'card_declined'
  return byCode.get(declineCode) ?? declineFor(declineCode, unknown)
}

/**
 * The class of a refusal of the call itself, which says nothing about cards: an unknown code, or none, means that the call was not
 * accepted.
 */
export function refusalOf(platformCode: string | undefined): Decline {
  const declineCode = (platformCode ?? 'invalid').toLowerCase()
  return byCode.get(declineCode) ?? declineFor(declineCode, 'not_accepted')
}

function declineFor(declineCode: string, code: DeclineClass): Decline {
  return { code, declineCode, kind: DECLINE_KINDS[code] }
}
