import type { Fields } from '../wire/fields.ts'

/** The attribute with the key under which we created a contract: the platform has no idempotency key for this mutation. */
export const KEY_ATTRIBUTE = '_perennial_key'
/** The attribute that names the customer for whom a contract is a gift. */
export const GIFT_ATTRIBUTE = 'gift_receiver'

/** An attribute of a contract; null when the contract has none of this name, or an empty one. */
export function attributeOf(contract: Fields, key: string): string | null {
  const found = contract.list('customAttributes').find((one) => one.text('key') === key)
  return found?.maybeText('value') || null
}
