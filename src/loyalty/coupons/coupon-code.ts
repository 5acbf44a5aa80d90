import { randomInt } from 'node:crypto'

/** No I, O, 0 and 1, which people confuse. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/** 60 random bits: nobody guesses one. */
const RANDOM = 12

/** A code of a coupon: the prefix that an operator has chosen, and what nobody can guess. */
export const newCouponCode = (prefix: string): string =>
  prefix + Array.from({ length: RANDOM }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
