import type { Ctx } from '#kit/postgres'
import { equalInConstantTime } from '#kit/secrets'
import { CODE_TRIES, codeOf } from './code.ts'
import { countTry, isPresent, lockCode, markUsed } from './queries.ts'
import { assertOffered } from './request-identification.ts'
import { signToken, TOKEN_MINUTES } from './token.ts'

export type Exchanged = { token: string; expiresAt: Temporal.Instant }

/**
 * Exchanges a code for a token, once. Null for a wrong code, one that is over, and one after five tries; the try counts, so the caller commits
 * before it refuses.
 */
export async function exchangeCode(ctx: Ctx, { id, code }: { id: string; code: string }): Promise<Exchanged | null> {
  await assertOffered(ctx)
  const asked = await lockCode(ctx, id)
  if (!asked || asked.tries >= CODE_TRIES || asked.usedAt !== null) return null
  if (Temporal.Instant.compare(asked.expiresAt, ctx.now) <= 0) return null
  await countTry(ctx, id)
  const isRight = equalInConstantTime(code, codeOf(ctx, id))
  if (!isRight || asked.memberId === null || !(await isPresent(ctx, asked.memberId))) return null
  await markUsed(ctx, id)
  const expiresAt = ctx.now.add({ minutes: TOKEN_MINUTES })
  return { token: signToken(ctx, asked.memberId, expiresAt), expiresAt }
}
