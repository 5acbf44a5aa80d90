import { createHash } from 'node:crypto'
import { CODE_ALPHABET, randomCode } from '#kit/random'

const GROUP = `[${CODE_ALPHABET}]{4}`
const RANDOM = 14

/** The form of our codes, also for PostgreSQL. A code of this form whose last two characters fit is ours. */
export const CREDIT_CODE_FORM = `^SC-${GROUP}-${GROUP}-${GROUP}-${GROUP}$`
const FORM = new RegExp(CREDIT_CODE_FORM)

/** A code that nobody can guess: 70 random bits, and two characters that follow from them. */
export function newCreditCode(): string {
  const random = randomCode(RANDOM)
  return `SC-${(random + checkOf(random)).match(/.{4}/g)!.join('-')}`
}

/** As codes are compared: the platform ignores case. */
export const codeKey = (code: string): string => code.trim().toUpperCase()

/**
 * Whether a code is one that spends store credit. Codes are recognized by their form, also those that a backup does not know from
 * which the store was restored.
 */
export function isCreditCode(code: string): boolean {
  const key = codeKey(code)
  if (!FORM.test(key)) return false
  const characters = key.slice(3).replaceAll('-', '')
  return characters.slice(RANDOM) === checkOf(characters.slice(0, RANDOM))
}

function checkOf(random: string): string {
  const digest = createHash('sha256').update(`perennial store credit ${random}`).digest()
  return CODE_ALPHABET[digest[0]! % CODE_ALPHABET.length]! + CODE_ALPHABET[digest[1]! % CODE_ALPHABET.length]!
}
