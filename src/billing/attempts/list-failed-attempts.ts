import { type Ctx, instant, int, row, sql, text } from '#kit/postgres'

const FailedAttempt = row({ id: int, platformAttemptId: text, completedAt: instant })

/**
 * Charges that the platform accepted and reported as failed, in order of completion and id, after the position given. Attempts
 * that are known to be paid are left out.
 */
export function listFailedAttempts(ctx: Ctx, after: { completedAfter: Temporal.Instant; id: number; limit: number }) {
  return ctx.tx.many(
    FailedAttempt,
    sql`
    select id, platform_attempt_id, completed_at from billing_attempts
     where store_id = ${ctx.storeId} and status = 'failed' and platform_attempt_id is not null
       and (completed_at, id) > (${after.completedAfter}::timestamptz, ${after.id}::bigint)
       and late_success_at is null
     order by completed_at, id limit ${after.limit}`
  )
}
