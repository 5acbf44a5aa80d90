import type { CartLine } from './cart.ts'

/** Tags that a store's owner gives to products (spec 3). The first has priority. */
const NO_DISCOUNT = 'no-vip-discount'
const FREE = '100%-vip-discount'

// The platform's tags are equal when they differ in case only.
const hasTag = ({ tags }: CartLine, tag: string) => tags.some((given) => given.trim().toLowerCase() === tag)

export const isExcluded = (line: CartLine): boolean => hasTag(line, NO_DISCOUNT)

export const isFreeForMembers = (line: CartLine): boolean => hasTag(line, FREE)

/** Perks know nothing of the other lines: a membership's own, and products that are tagged NO-VIP-DISCOUNT. */
export const counts = (line: CartLine): boolean => line.membership === null && !isExcluded(line)
