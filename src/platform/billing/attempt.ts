import { instrumentParts, type PlatformPaymentMethod, readPaymentMethod } from '../customers/payment-method.ts'
import { OrderParts, type PlatformOrder, readOrder } from '../orders/order.ts'
import { type Fields, Withheld } from '../wire/fields.ts'

export type PlatformAttemptState = 'pending' | 'action_required' | 'success' | 'failed'

export type PlatformAttempt = {
  id: string
  idempotencyKey: string
  contractId: string
  /**
   * A state that we do not know counts as pending: an attempt has ended only when the platform states its result. One that it calls
   * failed, and that has an order on which something was paid, is a success (`isReversed`).
   */
  state: PlatformAttemptState
  /** Lower case; codes that we do not know pass through. Set when, and only when, the state is failed. */
  errorCode: string | null
  errorMessage: string | null
  /** The page where the customer completes the 3-D Secure challenge, while action is required. */
  nextActionUrl: string | null
  createdAt: Temporal.Instant
  /** The time that the order was asked to have, which is within the cycle that is charged. */
  originAt: Temporal.Instant | null
  completedAt: Temporal.Instant | null
  order: PlatformOrder | null
  /** A success that the platform calls failed: it has an order, so it was paid. Left out: it is none. */
  isReversed?: true
  /** A failure of which we may not read whether it has an order, and so was paid. Left out: that could be read. */
  isOrderWithheld?: true
  paymentMethod: PlatformPaymentMethod | null
}

// The flat fields (errorCode, order, nextActionUrl) are deprecated in favour of `state`. But only the flat order tells that a
// failed attempt was paid, and reading both orders would cost twice the points. errorMessage has no successor.
export const AttemptParts = `fragment AttemptParts on SubscriptionBillingAttempt {
  id idempotencyKey createdAt originTime completedAt errorMessage
  order { ...OrderParts }
  state {
    __typename
    ... on SubscriptionBillingAttemptActionRequiredState {
      action { ... on SubscriptionBillingAttemptPaymentChallenge { nextActionUrl } }
    }
    ... on SubscriptionBillingAttemptFailedState {
      error {
        __typename
        ... on SubscriptionBillingAttemptPaymentError { paymentCode: code }
        ... on SubscriptionBillingAttemptInventoryError { inventoryCode: code }
        ... on SubscriptionBillingAttemptGeneralError { generalCode: code }
        ... on SubscriptionBillingAttemptUnexpectedError { message }
      }
    }
  }
  subscriptionContract { id customerPaymentMethod(showRevoked: true) { ${instrumentParts} } }
}
${OrderParts}`

/** Reads AttemptParts. */
export function readAttempt(attempt: Fields): PlatformAttempt {
  const contract = attempt.at('subscriptionContract')
  return {
    id: attempt.id('id'),
    idempotencyKey: attempt.text('idempotencyKey'),
    contractId: contract.id('id'),
    ...readState(attempt),
    createdAt: attempt.instant('createdAt'),
    originAt: attempt.maybeInstant('originTime'),
    completedAt: attempt.maybeInstant('completedAt'),
    paymentMethod: readPaymentMethod(contract.maybeAt('customerPaymentMethod'))
  }
}

function readOrderOf(attempt: Fields): PlatformOrder | null {
  const order = attempt.maybeAt('order')
  return order && readChargedOrder(order)
}

/** The order of a payment: paid, if its payment status is withheld. Null if so much is withheld that nothing can be recorded. */
function readChargedOrder(fields: Fields): PlatformOrder | null {
  try {
    const order = readOrder(fields)
    if (!order.withheld?.includes('financialStatus')) return order
    return {
      ...order,
      financialStatus: 'paid',
      withheld: order.withheld.filter((field) => field !== 'financialStatus')
    }
  } catch (err) {
    if (err instanceof Withheld) return null
    throw err
  }
}

/** Payment statuses of an order of which nothing was ever paid. */
export const UNPAID: ReadonlySet<string> = new Set(['pending', 'unpaid', 'voided', 'expired'])

/** Whether the order of a failed attempt shows that it was paid; one that may not be read (null) counts as paid. */
export const isPaidOrder = (order: PlatformOrder | null): boolean =>
  order === null || !UNPAID.has(order.financialStatus)

type StateParts = Pick<
  PlatformAttempt,
  'state' | 'errorCode' | 'errorMessage' | 'nextActionUrl' | 'order' | 'isReversed' | 'isOrderWithheld'
>

const PENDING: StateParts = { state: 'pending', errorCode: null, errorMessage: null, nextActionUrl: null, order: null }

function readState(attempt: Fields): StateParts {
  const state = attempt.at('state')
  switch (state.text('__typename')) {
    case 'SubscriptionBillingAttemptSuccessState':
      return { ...PENDING, state: 'success', order: readOrderOf(attempt) }
    case 'SubscriptionBillingAttemptActionRequiredState':
      return {
        ...PENDING,
        state: 'action_required',
        nextActionUrl: state.maybeAt('action')?.maybeText('nextActionUrl') ?? null
      }
    case 'SubscriptionBillingAttemptFailedState': {
      const order = readOrderOf(attempt)
      if (attempt.has('order') && isPaidOrder(order)) return { ...PENDING, state: 'success', order, isReversed: true }
      const error = state.at('error')
      const code = ['paymentCode', 'inventoryCode', 'generalCode'].find((key) => error.has(key))
      return {
        ...PENDING,
        state: 'failed',
        errorCode: code ? error.lower(code) : 'unexpected_error',
        errorMessage: attempt.maybeText('errorMessage') ?? error.maybeText('message'),
        ...(attempt.isWithheld('order') ? { isOrderWithheld: true as const } : {})
      }
    }
    default:
      return PENDING
  }
}
