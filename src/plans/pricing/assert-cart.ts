import type { Cart } from './cart.ts'

/** Throws RangeError, which names the field, for a cart that cannot be: its price would be a wrong number of money. */
export function assertCart({ lines, shipping }: Cart): void {
  const ids = new Set<string>()
  let subtotalMinor = 0
  for (const [i, { id, quantity, priceMinor, compareAtMinor }] of lines.entries()) {
    if (ids.has(id)) throw new RangeError(`lines[${i}].id must be another one than that of the lines before`)
    ids.add(id)
    if (!Number.isSafeInteger(quantity) || quantity < 1) {
      throw new RangeError(`lines[${i}].quantity must be an integer of 1 or more`)
    }
    assertAmount(`lines[${i}].priceMinor`, priceMinor)
    if (compareAtMinor !== null) assertAmount(`lines[${i}].compareAtMinor`, compareAtMinor)
    subtotalMinor += quantity * priceMinor
  }
  if (!Number.isSafeInteger(subtotalMinor)) throw new RangeError('lines must come to less than 2^53 minor units')
  if (shipping) assertAmount('shipping.priceMinor', shipping.priceMinor)
}

function assertAmount(field: string, minor: number): void {
  if (!Number.isSafeInteger(minor) || minor < 0) throw new RangeError(`${field} must be an integer of 0 or more`)
}
