import type { Ctx } from '#kit/postgres'

/**
 * HMAC-SHA256 of a text under a key of this installation that is not in the database, bound to the store. `purpose` keeps what is made for
 * one thing from being good for another.
 */
export function keyedHash(
  { pseudonym, storeId }: Pick<Ctx, 'pseudonym' | 'storeId'>,
  purpose: string,
  text: string
): Buffer {
  const hash = pseudonym(storeId, `identification ${purpose}: ${text}`)
  if (!hash) throw new Error('This process has no master key, so it can neither make codes nor sign tokens')
  return hash
}

/** What an address is counted by: it does not tell the address. */
export const addressKeyOf = ({ pseudonym }: Pick<Ctx, 'pseudonym'>, storeId: number, email: string): string =>
  keyedHash({ pseudonym, storeId }, 'address', email).toString('base64url')
