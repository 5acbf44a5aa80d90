/** Soft: the same card may work later. Hard: only a new payment method (or the platform's mending) helps. */
export type DeclineKind = 'soft' | 'hard'

/** Why a charge failed: `code` is the class that receivers branch on, `declineCode` the platform's own word for it. */
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
      'incorrect_number',
      'incorrect_zip',
      'incorrect_address',
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
  customer_invalid: { kind: 'hard', codes: ['customer_invalid', 'customer_not_found', 'account_closed'] },
  // Trying again could charge twice; what the platform says of the contract settles it.
  already_paid: { kind: 'hard', codes: ['invoice_already_paid'] },
  contract_not_billable: {
    kind: 'hard',
    codes: [
      'contract_not_found',
      'contract_paused',
      'contract_terminated',
      'contract_under_review',
      'billing_cycle_skipped'
    ]
  },
  insufficient_inventory: { kind: 'soft', codes: ['insufficient_inventory', 'inventory_allocations_not_found'] },
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
  processing_error: {
    kind: 'soft',
    codes: [
      'merchant_account_error',
      'non_test_order_limit_reached',
      'payment_provider_error',
      'payment_provider_is_not_enabled',
      'paypal_error_general',
      'processing_error',
      'test_mode',
      'transient_error',
      'unexpected_error'
    ]
  }
}

const byCode = new Map<string, Decline>()
for (const [code, { kind, codes }] of Object.entries(CLASSES)) {
  for (const declineCode of codes) byCode.set(declineCode, { code, declineCode, kind })
}

/** The published table: every decline code that we know, with its class and whether it is retried by itself. */
export const DECLINE_CODES: ReadonlyMap<string, Decline> = byCode

/** The class of a platform's error code, whatever its case. A code that we do not know passes through and is retried. */
export function declineOf(platformCode: string | null): Decline {
  const declineCode = (platformCode ?? 'unexpected_error').toLowerCase()
  return byCode.get(declineCode) ?? { code: 'card_declined', declineCode, kind: 'soft' }
}
