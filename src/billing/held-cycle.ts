import { type Ctx, row, sql, text } from '#kit/postgres'
import { skipCycle as skipNextCycle } from '#lifecycle'
import type { Actor, Subscription } from '#subscriptions'
import { DECLINE_CODES } from './decline-codes.ts'

/**
 * Passes over the next cycle: also one that is held for a person, which nothing else would ever end. Refuses what
 * `subscriptions` refuses, a cycle that is being charged, and one that was declined and waits for its customer.
 */
export function skipCycle(ctx: Ctx, id: number, by: Actor): Promise<Subscription> {
  return skipNextCycle(ctx, id, by, (subscription) => isHeld(ctx, subscription))
}

const HELD = new Set([...DECLINE_CODES.values()].filter(({ kind }) => kind === 'held').map(({ code }) => code))

/** Neither an attempt, nor a retry, nor a new payment method will end it: its last attempt is over, and waits for a person. */
async function isHeld(
  ctx: Ctx,
  { id, nextCycle, status, billingDueAt, paymentMethodDeadline }: Subscription
): Promise<boolean> {
  if (status !== 'active' || billingDueAt !== null || paymentMethodDeadline !== null) return false
  const last = await ctx.tx.maybeOne(
    row({ status: text, code: (value) => (value === null ? '' : text(value)) }),
    sql`
    select status, error_code as code from billing_attempts
     where store_id = ${ctx.storeId} and subscription_id = ${id} and cycle_index = ${nextCycle}
     order by attempt_number desc limit 1`
  )
  return last?.status === 'failed' && HELD.has(last.code)
}
