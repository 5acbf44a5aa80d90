import type { Fields } from '../wire/fields.ts'

/** `type` is `card`, `shop_pay`, `paypal`, `bank_account` or, for an instrument that we do not know, `other`. */
export type PlatformPaymentMethod = { type: string; lastFour: string | null; brand: string | null }

export const instrumentParts = `instrument {
    __typename
    ... on CustomerCreditCard { brand lastDigits }
    ... on CustomerShopPayAgreement { lastDigits }
    ... on BankAccount { lastDigits }
  }`

const INSTRUMENTS: Record<string, string> = {
  CustomerCreditCard: 'card',
  CustomerShopPayAgreement: 'shop_pay',
  CustomerPaypalBillingAgreement: 'paypal',
  BankAccount: 'bank_account'
}

/** Reads `instrumentParts` of a payment method; null when there is no method or it has no instrument. */
export function readPaymentMethod(method: Fields | null): PlatformPaymentMethod | null {
  const instrument = method?.maybeAt('instrument')
  if (!instrument) return null
  return {
    type: INSTRUMENTS[instrument.text('__typename')] ?? 'other',
    lastFour: instrument.maybeText('lastDigits'),
    brand: instrument.maybeText('brand')
  }
}

/** The payment method to charge, by its global id; or a sentence for the caller that says why there is none. */
export type ChosenMethod = { id: string; problem: null } | { id: null; problem: string }

/**
 * Chooses among `usable`, the global ids of the methods that can be charged: the one that `wanted` gives (by its global id or
 * its last part), or the only one where `wanted` is null.
 */
export function choosePaymentMethod(wanted: string | null, usable: string[]): ChosenMethod {
  const no = (problem: string): ChosenMethod => ({ id: null, problem })
  if (wanted !== null) {
    const found = usable.find((id) => id === wanted || id.endsWith(`/${wanted}`))
    return found
      ? { id: found, problem: null }
      : no('payment_method_id must be one of the payment methods of the customer that can be charged')
  }
  const [only, ...others] = usable
  if (!only) return no('The customer has no payment method that can be charged')
  if (others.length > 0) return no('The customer has several payment methods: give payment_method_id')
  return { id: only, problem: null }
}
