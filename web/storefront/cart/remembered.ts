const KEY = 'perennial-pay-as-you-go'

/** A token may end with a secret of its own, which changes. */
const idOf = (token: string): string => token.split('?')[0]!

/** Remembers for the visit in which cart the customer chose to buy without a membership; '' forgets it. A browser may keep nothing. */
export function rememberPayAsYouGo(cart: string): void {
  try {
    sessionStorage.setItem(KEY, idOf(cart))
  } catch {
    // Then the choice holds for the page alone.
  }
}

export function choseToPayAsYouGo(cart: string): boolean {
  try {
    return sessionStorage.getItem(KEY) === idOf(cart)
  } catch {
    return false
  }
}
