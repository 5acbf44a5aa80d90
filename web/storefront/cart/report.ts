/** What went wrong here is a matter of who looks after the shop: the page goes on without it, and its console stays empty. */
export function report(error: unknown): void {
  document.dispatchEvent(new CustomEvent('perennial-cart-error', { detail: { error } }))
}
