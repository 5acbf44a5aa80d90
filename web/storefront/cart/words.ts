import { textOf } from './theme-data.ts'

/** What the elements say where the settings of the shop have no text for it. A theme replaces them by words in its language. */
export const ENGLISH = {
  choose: 'How do you want to buy?',
  pay_as_you_go: 'Pay as you go',
  products: 'Products',
  instead_of: 'instead of',
  saved: 'You save {amount}',
  trial: 'first {amount}, then',
  trial_for: '{amount} for {duration}, then',
  missing: '{amount} more: {perk}',
  reached: 'Reached: {perk}',
  free_shipping: 'Free shipping',
  off: '{amount} off',
  agree: 'I agree to pay {amount} until I cancel.',
  agree_first: 'Agree to the terms of the membership first.',
  join: 'Join and check out',
  added: 'In your cart: {plan}',
  removed: 'No longer in your cart: {plan}',
  failed: 'The cart could not be changed. Check out as it is, or try again.',
  credit: 'Store credit: {amount}',
  buy: 'How to buy: {product}',
  once: 'Once',
  member_price: '{plan} price'
}

export type Words = Readonly<Record<keyof typeof ENGLISH, string>>

export type Say = (word: keyof typeof ENGLISH, values?: Record<string, string | null>) => string

/** Says the words of a theme, and those that it does not have in the language of the page. */
export const sayer =
  (own: Record<string, unknown>, words: Words = ENGLISH): Say =>
  (word, values = {}) =>
    fill(textOf(own[word]) || words[word], values) ?? ''

/** A text with its placeholders, which are names in braces; null when it names one that is not known now. */
export function fill(text: string, values: Readonly<Record<string, string | null | undefined>>): string | null {
  let isKnown = true
  const filled = text.replace(/\{(\w+)\}/g, (all, name: string) => {
    if (!(name in values)) return all
    isKnown &&= values[name] != null
    return values[name] ?? ''
  })
  return isKnown ? filled : null
}
