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
export type Decline = { code: string; declineCode: string; kind: DeclineKind }

const CLASSES: Record<string, { kind: DeclineKind; codes: string[] }> = {
  card_declined: {
    kind: 'soft',
    codes: [
      'call_issuer',
      'card_declined',
      'do_not_honor',
      'generic_error',
      'insufficient_funds',
      'payment_method_declined',
      'retry_declined',
      'transaction_limit_exceeded'
    ]
  },
  authentication_required: {
    kind: 'hard',
    codes: [
      'authentication_error',
      'authentication_failed',
      'authentication_required',
      'confirmation_rejected',
      'expired_buyer_action',
      'off_session_rejected'
    ]
  },
  expired_payment_method: { kind: 'hard', codes: ['expired_card', 'expired_payment_method', 'invalid_expiry_date'] },
  invalid_payment_method: {
    kind: 'hard',
    codes: [
      'buyer_canceled_payment_method',
      'cancelled_payment',
      'card_number_incorrect',
      'incorrect_address',
      'incorrect_number',
      'incorrect_zip',
      'invalid_billing_address',
      'invalid_customer_billing_agreement',
      'invalid_number',
      'invalid_payment_method',
      'lost_card',
      'payment_method_incompatible_with_gateway_config',
      'payment_method_not_found',
      'payment_method_not_specified',
      'payment_method_unsupported',
      'pickup_card',
      'stolen_card'
    ]
  },
  fraud_suspected: { kind: 'hard', codes: ['fraud_suspected', 'merchant_rule'] },
  customer_invalid: { kind: 'hard', codes: ['account_closed', 'customer_invalid', 'customer_not_found'] },
  // A retry could charge twice; the platform's state of the cycle settles it.
  already_paid: { kind: 'held', codes: ['invoice_already_paid'] },
  contract_not_billable: {
    kind: 'held',
    codes: [
      'billing_cycle_skipped',
      'contract_not_found',
      'contract_paused',
      'contract_terminated',
      'contract_under_review'
    ]
  },
  insufficient_inventory: { kind: 'inventory', codes: ['insufficient_inventory', 'inventory_allocations_not_found'] },
  invalid_order: {
    kind: 'soft',
    codes: [
      'amount_too_large',
      'amount_too_small',
      'free_gift_card_not_allowed',
      'invalid_currency',
      'invalid_purchase_type',
      'invalid_shipping_address',
      'purchase_type_not_supported'
    ]
  },
  // The shop's own fault: the people who run it get an alert.
  merchant_problem: {
    kind: 'soft',
    codes: ['merchant_account_error', 'non_test_order_limit_reached', 'payment_provider_is_not_enabled', 'test_mode']
  },
  processing_error: {
    kind: 'soft',
    codes: ['payment_provider_error', 'paypal_error_general', 'processing_error', 'transient_error', 'unexpected_error']
  },
  // The platform refused the call, which says nothing about the card: it is repeated under the same key before it fails.
  not_accepted: {
    kind: 'held',
    codes: [
      'billing_cycle_charge_before_expected_date',
      'blank',
      'cycle_index_out_of_range',
      'cycle_start_date_out_of_range',
      'invalid',
      'origin_time_before_contract_creation',
      'origin_time_out_of_range',
      'processing_failed',
      'throttled',
      'upcoming_cycle_limit_exceeded'
    ]
  }
}

const byCode = new Map<string, Decline>()
for (const [code, { kind, codes }] of Object.entries(CLASSES)) {
  for (const declineCode of codes) byCode.set(declineCode, { code, declineCode, kind })
}

/** The published table: every known code, with its class and what follows. */
export const DECLINE_CODES: ReadonlyMap<string, Decline> = byCode

/** The class of a platform's error code, in any case. An unknown code is kept and retried. */
export function declineOf(platformCode: string | null): Decline {
  const declineCode = (platformCode ?? 'unexpected_error').toLowerCase()
  return byCode.get(declineCode) ?? { code: 'card_declined', declineCode, kind: 'soft' }
}

/**
 * The class of a refusal of the call itself, which says nothing about cards: an unknown code, or none, means that the call was not
 * accepted.
 */
export function refusalOf(platformCode: string | undefined): Decline {
  const declineCode = (platformCode ?? 'invalid').toLowerCase()
  return byCode.get(declineCode) ?? { code: 'not_accepted', declineCode, kind: 'held' }
}
