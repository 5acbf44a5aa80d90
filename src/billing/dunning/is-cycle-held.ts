import { type Ctx, row, sql, text } from '#kit/postgres'
import type { Subscription } from '#subscriptions'
import { HELD_CLASSES } from './decline-codes.ts'

const HELD = new Set<string>(HELD_CLASSES)

/**
 * Whether the next cycle is held for a person: its last attempt has failed, and neither a retry nor a new payment method will
 * follow.
 */
export async function isCycleHeld(
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
