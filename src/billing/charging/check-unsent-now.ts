import { type Ctx, sql } from '#kit/postgres'

/**
 * Has the charges that the platform has not received yet, as far as we know, asked for at once: what kept them from it is over. Those that
 * a process has in hand, and those that wait for their customer, stay as they are. Returns how many.
 */
export function checkUnsentNow(ctx: Ctx): Promise<number> {
  return ctx.tx.run(sql`
    update billing_attempts set check_at = ${ctx.now}
     where store_id = ${ctx.storeId} and status = 'pending' and check_at > ${ctx.now} and platform_attempt_id is null
       and action_required_at is null and leased_until is null`)
}
