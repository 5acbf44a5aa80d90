import { type Ctx, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import { changesOf, subscriptionUpdated } from './events/subscription-updated.ts'
import { termsMessages } from './history/activity-messages.ts'
import { enqueueContractPush } from './platform-requests.ts'
import { billingDate } from './schedule/billing-dates.ts'
import { datesAt, type Subscription } from './subscription.ts'
import { applyTransitions } from './transitions/apply-transitions.ts'
import { isInBilling } from './transitions/transitions.ts'

/**
 * Moves the dates of locked subscriptions into the shop's current time zone: cycles keep their day and their time of day. A
 * cycle in billing keeps its instant, and no cycle changes its number, so none is billed twice or left out. The platform's next
 * dates follow after the commit.
 */
export async function rebaseTimezone(ctx: Ctx, outdated: Subscription[]): Promise<void> {
  const store = await storeContext(ctx)
  const plans = outdated.map((before) => {
    const from = store.pastTimezones[before.timezoneRebases]!
    const rebased = (at: Temporal.Instant) => inTimezone(at, from, store.timezone)
    const anchored = {
      ...before,
      anchorAt: rebased(before.anchorAt),
      trialEndsAt: before.trialEndsAt && rebased(before.trialEndsAt)
    }
    const isDated = before.status === 'active' && !isInBilling(before)
    const at = isDated ? billingDate(anchored, before.nextCycle, store.timezone) : null
    const after: Subscription = { ...anchored, ...(at ? datesAt(anchored, at) : {}), updatedAt: ctx.now }
    const changes = changesOf(before, after)
    return {
      before,
      after,
      events: Object.keys(changes).length > 0 ? [subscriptionUpdated(after, changes, store.profile)] : [],
      activities: termsMessages(before, after, store.timezone).map((message) => ({
        ...message,
        text: `The shop moved from ${from} to ${store.timezone}: ${message.text}`
      })),
      isDated
    }
  })
  await applyTransitions(ctx, plans, 'platform')
  await ctx.tx.run(sql`
    update subscriptions set timezone_rebases = ${store.pastTimezones.length}
     where store_id = ${ctx.storeId} and id = any(${outdated.map(({ id }) => id)}::bigint[])`)
  await enqueueContractPush(
    ctx,
    plans.flatMap(({ before, isDated }) => (isDated ? before.id : []))
  )
}

/** The same local day and time in another zone. In a gap of daylight saving, Temporal's `compatible`. */
function inTimezone(at: Temporal.Instant, from: string, to: string): Temporal.Instant {
  return at.toZonedDateTimeISO(from).toPlainDateTime().toZonedDateTime(to).toInstant()
}
