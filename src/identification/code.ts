import type { Ctx } from '#kit/postgres'
import { keyedHash } from './keyed-hash.ts'

const CODE_DIGITS = 6
export const CODE_MINUTES = 10
export const CODE_TRIES = 5

/**
 * The code of an id. It is derived and nowhere stored, so that the database alone gives no code away, and a mail that is sent again has the
 * same one. 48 bits of the hash make each code equally likely within one in 280 million.
 */
export function codeOf(ctx: Pick<Ctx, 'pseudonym' | 'storeId'>, id: string): string {
  const number = keyedHash(ctx, 'code', id).readUIntBE(0, 6) % 10 ** CODE_DIGITS
  return String(number).padStart(CODE_DIGITS, '0')
}
