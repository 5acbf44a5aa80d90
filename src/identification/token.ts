import type { Ctx } from '#kit/postgres'
import { equalInConstantTime } from '#kit/secrets'
import { keyedHash } from './keyed-hash.ts'
import { notIdentified } from './refusals.ts'

export const TOKEN_MINUTES = 30

/**
 * A token that names a customer of this store until a time: what it says, and the signature over it, both in base64url. It is good in
 * no other store, since the signature's key is bound to the store.
 */
export function signToken(ctx: Ctx, memberId: number, expiresAt: Temporal.Instant): string {
  const said = Buffer.from(JSON.stringify({ c: memberId, e: Math.floor(expiresAt.epochMilliseconds / 1000) })).toString(
    'base64url'
  )
  return `${said}.${signatureOf(ctx, said)}`
}

/** The customer whom a token names, by our number. Refuses one that is not ours, of another store, or over. */
export function readToken(ctx: Ctx, token: string): number {
  const [said = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !equalInConstantTime(signature, signatureOf(ctx, said))) throw notIdentified()
  // What we signed is what we wrote.
  const { c, e } = JSON.parse(Buffer.from(said, 'base64url').toString()) as { c: number; e: number }
  if (Math.floor(ctx.now.epochMilliseconds / 1000) >= e) throw notIdentified()
  return c
}

const signatureOf = (ctx: Ctx, said: string) => keyedHash(ctx, 'token', said).toString('base64url')
