/**
 * Shows what something costs members within the price that the theme shows; null shows nothing. It is an element by name only, which a theme gives
 * the look of its prices. True: something is changed.
 */
export function showMemberPrice(price: Element, text: string | null): boolean {
  const shown = price.querySelector('perennial-price')
  if ((shown?.textContent ?? null) === text) return false
  if (text === null) {
    shown!.remove()
    return true
  }
  const made = shown ?? price.appendChild(document.createElement('perennial-price'))
  ;(made as HTMLElement).style.display = 'block'
  made.textContent = text
  return true
}
