import { type Ctx, sql } from '#kit/postgres'
import { notify } from '#stores'
import { recordActivities } from '#subscriptions'
import { reversalMessage } from '../activities.ts'
import { chargeReversed } from '../alerts.ts'
import { Attempt } from '../attempts/attempt.ts'
import type { AttemptResult } from '../attempts/attempt-result.ts'

/**
 * Records failures that the platform reports of charges that it had reported as paid. The attempt stays a success, and its cycle
 * is not charged again: an order says that the money was taken. The history has it, and an alert asks a person to look, once
 * for each attempt. A stale report of a failure that was corrected since is none.
 */
export async function recordReversals(ctx: Ctx, results: AttemptResult[]): Promise<void> {
  const failed = results.filter(({ state }) => state === 'failed')
  if (failed.length === 0) return
  const reversed = await ctx.tx.many(
    Attempt,
    sql`
    update billing_attempts a set reversed_at = ${ctx.now}
      from unnest(${failed.map((r) => r.idempotencyKey)}::text[], ${failed.map((r) => r.platformAttemptId)}::text[])
             as t(key, platform_id)
     where a.store_id = ${ctx.storeId} and a.idempotency_key = t.key and a.platform_attempt_id = t.platform_id
       and a.status = 'success' and a.late_success_at is null and a.reversed_at is null
    returning a.*`
  )
  await recordActivities(ctx, reversed.map(reversalMessage))
  for (const attempt of reversed) await notify(ctx, chargeReversed(attempt))
}
