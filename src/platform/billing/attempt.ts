import { instrumentParts, type PlatformPaymentMethod, readPaymentMethod } from '../customers/payment-method.ts'
import { OrderParts, type PlatformOrder, readOrder } from '../orders/order.ts'
import { type Fields, Withheld } from '../wire/fields.ts'

export type PlatformAttemptState = 'pending' | 'action_required' | 'success' | 'failed'

export type PlatformAttempt = {
  id: string
  idempotencyKey: string
  contractId: string
  /** A state that we do not know counts as pending: an attempt has ended only when the platform states its result. */
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
  paymentMethod: PlatformPaymentMethod | null
}

// The flat fields (errorCode, order, nextActionUrl) are deprecated in favour of `state`; errorMessage has no successor.
export const AttemptParts = `fragment AttemptParts on SubscriptionBillingAttempt {
  id idempotencyKey createdAt originTime completedAt errorMessage
  state {
    __typename
    ... on SubscriptionBillingAttemptSuccessState { order { ...OrderParts } }
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
    ...readState(attempt.at('state'), attempt.maybeText('errorMessage')),
    createdAt: attempt.instant('createdAt'),
    originAt: attempt.maybeInstant('originTime'),
    completedAt: attempt.maybeInstant('completedAt'),
    paymentMethod: readPaymentMethod(contract.maybeAt('customerPaymentMethod'))
  }
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

type StateParts = Pick<PlatformAttempt, 'state' | 'errorCode' | 'errorMessage' | 'nextActionUrl' | 'order'>

const PENDING: StateParts = { state: 'pending', errorCode: null, errorMessage: null, nextActionUrl: null, order: null }

function readState(state: Fields, errorMessage: string | null): StateParts {
  switch (state.text('__typename')) {
    case 'SubscriptionBillingAttemptSuccessState': {
      const order = state.maybeAt('order')
      return { ...PENDING, state: 'success', order: order && readChargedOrder(order) }
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
