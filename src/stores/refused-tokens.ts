import { type Ctx, sql } from '#kit/postgres'
import { notify } from './alerts.ts'

/**
 * Marks that the platform refuses the access token of the store, and tells its people; `message` is what the platform answered. False
 * when that was known, or the store is disconnected.
 */
export async function markTokenRefused(ctx: Ctx, message: string): Promise<boolean> {
  const marked = await ctx.tx.run(
    sql`update stores set token_refused_at = ${ctx.now}, updated_at = statement_timestamp()
         where store_id = ${ctx.storeId} and token_refused_at is null and status = 'active'`
  )
  if (marked === 0) return false
  await notify(ctx, {
    kind: 'platform_unauthorized',
    subject: 'The platform does not accept the access token of the store',
    message:
      `${message}. Nothing can be billed, and what falls due waits, until the store has a valid token: open the app in the shop's ` +
      'admin, or give it one (perennial store connect).'
  })
  return true
}

/** Marks that the platform takes the access token again. False when it did all the time. */
export async function markTokenTaken(ctx: Ctx): Promise<boolean> {
  const marked = await ctx.tx.run(
    sql`update stores set token_refused_at = null, updated_at = statement_timestamp()
         where store_id = ${ctx.storeId} and token_refused_at is not null`
  )
  return marked > 0
}
