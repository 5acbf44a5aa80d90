const KEY = 'perennial-chosen'

/** A token may end with a secret of its own, which changes. */
const idOf = (token: string): string => token.split('?')[0]!

/** Remembers for the visit for which cart a choice was carried out; '' forgets it. A browser may keep nothing. */
export function remember(cart: string): void {
  try {
    sessionStorage.setItem(KEY, idOf(cart))
  } catch {
    // Then the choice holds for the page alone.
  }
}

export function isRemembered(cart: string): boolean {
  try {
    return sessionStorage.getItem(KEY) === idOf(cart)
  } catch {
    return false
  }
}
