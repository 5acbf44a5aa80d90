/** The payment method to charge, by its global id; or why there is none, in words for whoever asked. */
export type ChosenMethod = { id: string; problem: null } | { id: null; problem: string }

/**
 * The one that is wanted (by global id, or its last part), of those that can be charged; the only one where none is named.
 */
export function choosePaymentMethod(wanted: string | null, usable: string[]): ChosenMethod {
  const no = (problem: string): ChosenMethod => ({ id: null, problem })
  if (wanted !== null) {
    const found = usable.find((id) => id === wanted || id.endsWith(`/${wanted}`))
    return found
      ? { id: found, problem: null }
      : no('payment_method_id takes one of the payment methods of the customer that can be charged')
  }
  const [only, ...others] = usable
  if (!only) return no('The customer has no payment method that can be charged')
  if (others.length > 0) return no('The customer has several payment methods: give payment_method_id')
  return { id: only, problem: null }
}
