import { record } from '#kit/outbox'
import { type Ctx, sql } from '#kit/postgres'
import { settingsOf } from '#stores'
import { lockSubscriptions, recordActivities } from '#subscriptions'
import { actionRequiredMessage } from '../activities.ts'
import { type Attempt, isWanted, listSubscriptionsOfKeys, lockAttemptsByKey } from '../attempts/attempt.ts'
import { billingActionRequired } from '../events/billing-action-required.ts'
import { actionRequiredSettings } from '../settings.ts'

/** A payment that waits for its customer, who confirms it at `actionUrl` (3-D Secure). */
export type RequiredAction = { idempotencyKey: string; platformAttemptId: string | null; actionUrl: string }

/**
 * Stores where customers confirm their payments, and records each required action once, whether a message or a check of the
 * platform reported it. The attempt stays pending: only the platform ends it. Nobody is asked to pay for a subscription that was
 * stopped in the meantime, or for a missed cycle.
 */
export async function recordActionRequired(ctx: Ctx, requiredActions: RequiredAction[]): Promise<void> {
  if (requiredActions.length === 0) return
  const byKey = Map.groupBy(requiredActions, ({ idempotencyKey }) => idempotencyKey)
  const keys = [...byKey.keys()]
  // Subscriptions before attempts, as everyone locks them.
  const concerned = await lockSubscriptions(ctx, await listSubscriptionsOfKeys(ctx, keys, []))
  const byId = new Map(concerned.map((s) => [s.id, s]))
  const [firstHours] = (await settingsOf(ctx, actionRequiredSettings)).remindAfterHours
  const noted = (await lockAttemptsByKey(ctx, keys)).flatMap((attempt) => {
    const subscription = byId.get(attempt.subscriptionId)
    const action = byKey.get(attempt.idempotencyKey)!.findLast((one) => isOf(attempt, one))
    if (!action) return []
    const { actionUrl } = action
    const isNew = attempt.actionRequiredAt === null && subscription !== undefined && isWanted(attempt, subscription)
    if (!isNew && attempt.actionUrl === actionUrl) return []
    const actionRequiredAt = isNew ? ctx.now : attempt.actionRequiredAt
    return { attempt: { ...attempt, actionUrl, actionRequiredAt }, isNew, subscription }
  })
  if (noted.length === 0) return
  await ctx.tx.run(sql`
    update billing_attempts a
       set action_url = t.url, action_required_at = t.since, remind_at = coalesce(t.remind_at, a.remind_at),
           check_at = least(a.check_at, t.remind_at)
      from unnest(${noted.map(({ attempt }) => attempt.id)}::bigint[],
                  ${noted.map(({ attempt }) => attempt.actionUrl)}::text[],
                  ${noted.map(({ attempt }) => attempt.actionRequiredAt)}::timestamptz[],
                  ${noted.map(({ isNew }) => (isNew && firstHours !== undefined ? ctx.now.add({ hours: firstHours }) : null))}::timestamptz[])
             as t(id, url, since, remind_at)
     where a.store_id = ${ctx.storeId} and a.id = t.id`)
  const fresh = noted.filter(({ isNew }) => isNew)
  await record(
    ctx,
    ...fresh.map(({ attempt, subscription }) =>
      billingActionRequired({ attempt, subscription: subscription! }, attempt.actionUrl, 0)
    )
  )
  await recordActivities(
    ctx,
    fresh.map(({ attempt }) => actionRequiredMessage(attempt))
  )
}

/** A key that was sent twice can have two attempts on the platform: nobody is asked to confirm another than the one that we follow. */
const isOf = (attempt: Attempt, { platformAttemptId }: RequiredAction) =>
  platformAttemptId === null || attempt.platformAttemptId === null || platformAttemptId === attempt.platformAttemptId
