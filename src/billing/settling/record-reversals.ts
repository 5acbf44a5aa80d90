import { type Ctx, sql } from '#kit/postgres'
import { notify } from '#stores'
import { recordActivities } from '#subscriptions'
import { reversalMessage } from '../activities.ts'
import { chargeReversed } from '../alerts.ts'
import { Attempt } from '../attempts/attempt.ts'
import type { AttemptResult } from '../attempts/attempt-result.ts'

/**
 * Records that the platform reports charges as failed that it had reported as paid, or that have an order. The attempt stays a
 * success, and its cycle is not charged again: an order says that the money was taken. The history has it, and an alert asks a person
 * to look, once for each attempt. A stale report of a failure that was corrected since is none; one with an order is not stale.
 */
export async function recordReversals(ctx: Ctx, results: AttemptResult[]): Promise<void> {
  const failed = results.filter((result) => result.state === 'failed' || result.isReversed)
  if (failed.length === 0) return
  const isPaid = failed.map(({ state }) => state === 'success')
  const reversed = await ctx.tx.many(
    Attempt,
    sql`
    update billing_attempts a set reversed_at = ${ctx.now}
      from unnest(${failed.map((r) => r.idempotencyKey)}::text[], ${failed.map((r) => r.platformAttemptId)}::text[],
                  ${isPaid}::boolean[]) as t(key, platform_id, is_paid)
      join billing_attempts k on k.store_id = ${ctx.storeId} and k.idempotency_key = t.key
     where a.store_id = ${ctx.storeId} and a.subscription_id = k.subscription_id and a.cycle_index = k.cycle_index
       and (a.platform_attempt_id = t.platform_id or (t.platform_id is null and t.is_paid and a.id = k.id))
       and (a.status = 'success' or a.late_success_at is not null) and (a.late_success_at is null or t.is_paid)
       and a.reversed_at is null
    returning a.*`
  )
  await recordActivities(ctx, reversed.map(reversalMessage))
  for (const attempt of reversed) await notify(ctx, chargeReversed(attempt))
}
