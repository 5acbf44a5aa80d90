import { type Fact, record } from '#kit/outbox'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { settingsOf } from '#stores'
import { lockSubscriptions, type NewActivity, recordActivities } from '#subscriptions'
import { reminderMessage } from '../activities.ts'
import { Attempt, isWanted } from '../attempts/attempt.ts'
import { billingActionRequired } from '../events/billing-action-required.ts'
import { actionRequiredSettings } from '../settings.ts'

/**
 * Reminds customers, up to `limit`, who were asked to confirm a payment and have not; returns how many attempts were due. An
 * attempt is checked on the platform first: one whose check is due is left for later. Of several missed reminders only the latest
 * is sent, and none for a charge that is not wanted any more.
 */
export async function remindCustomers(ctx: Ctx, limit: number): Promise<number> {
  const due = await ctx.tx.many(
    row({ id: int, subscriptionId: int }),
    sql`
    select a.id, a.subscription_id
      from billing_attempts a join subscriptions s on s.store_id = ${ctx.storeId} and s.id = a.subscription_id
     where a.store_id = ${ctx.storeId} and a.remind_at <= ${ctx.now} and a.check_at > ${ctx.now}
     order by a.remind_at, a.id limit ${limit} for update of s skip locked`
  )
  if (due.length === 0) return 0
  const subscriptions = await lockSubscriptions(ctx, [...new Set(due.map((a) => a.subscriptionId))])
  const byId = new Map(subscriptions.map((s) => [s.id, s]))
  const attempts = await ctx.tx.many(
    Attempt,
    sql`
    select * from billing_attempts
     where store_id = ${ctx.storeId} and id = any(${due.map((a) => a.id)}::bigint[]) and remind_at <= ${ctx.now}
     order by id for update`
  )
  const { remindAfterHours } = await settingsOf(ctx, actionRequiredSettings)
  const looked = attempts.map((attempt) => {
    const subscription = byId.get(attempt.subscriptionId)!
    const dates = remindAfterHours.map((hours) => attempt.actionRequiredAt!.add({ hours }))
    const passed = dates.filter((at) => Temporal.Instant.compare(at, ctx.now) <= 0).length
    const wanted = isWanted(attempt, subscription)
    return {
      attempt,
      subscription,
      reminder: wanted && passed > attempt.actionReminders ? passed : null,
      next: wanted ? (dates[passed] ?? null) : null
    }
  })
  await ctx.tx.run(sql`
    update billing_attempts a
       set action_reminders = coalesce(t.reminder, a.action_reminders), remind_at = t.next,
           check_at = least(a.check_at, t.next)
      from unnest(${looked.map(({ attempt }) => attempt.id)}::bigint[], ${looked.map(({ reminder }) => reminder)}::int[],
                  ${looked.map(({ next }) => next)}::timestamptz[]) as t(id, reminder, next)
     where a.store_id = ${ctx.storeId} and a.id = t.id`)
  const events: Fact[] = []
  const history: NewActivity[] = []
  for (const { attempt, subscription, reminder } of looked) {
    if (reminder === null) continue
    events.push(billingActionRequired({ attempt, subscription }, attempt.actionUrl!, reminder))
    history.push(reminderMessage(attempt, reminder))
  }
  await record(ctx, ...events)
  await recordActivities(ctx, history)
  return looked.length
}
