import { type Ctx, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import { termsMessages } from './activity-messages.ts'
import { billingDate } from './billing-dates.ts'
import { changesOf, subscriptionUpdated } from './events.ts'
import { datesAt, type Subscription } from './subscription.ts'
import { applyTransitions, pushContracts } from './transitions/transition-plans.ts'
import { isFinal, isInBilling } from './transitions/transitions.ts'

/** What is over for good keeps the times at which it was so. */
export const needsTimezoneRebase = (s: Subscription, pastTimezones: string[]): boolean =>
  s.timezoneRebases < pastTimezones.length && !isFinal(s)

/**
 * Brings held subscriptions onto the clocks of the zone that the shop lives in now: cycles keep the day and the time of day
 * that they had. What is in billing keeps its instant, and no cycle changes its number, so none is billed twice or left out.
 * The platform's next dates follow after the commit.
 */
export async function rebaseTimezone(ctx: Ctx, outdated: Subscription[]): Promise<void> {
  const store = await storeContext(ctx)
  const planned = outdated.map((before) => {
    const from = store.pastTimezones[before.timezoneRebases]!
    const moved = (at: Temporal.Instant) => inTimezone(at, from, store.timezone)
    const anchored = {
      ...before,
      anchorAt: moved(before.anchorAt),
      trialEndsAt: before.trialEndsAt && moved(before.trialEndsAt)
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
  await applyTransitions(ctx, planned, 'platform')
  await ctx.tx.run(sql`
    update subscriptions set timezone_rebases = ${store.pastTimezones.length}
     where store_id = ${ctx.storeId} and id = any(${outdated.map(({ id }) => id)}::bigint[])`)
  await pushContracts(
    ctx,
    planned.flatMap(({ before, isDated }) => (isDated ? before.id : []))
  )
}

/** The same local day and time in another zone; where daylight saving leaves it out there, Temporal's `compatible`. */
function inTimezone(at: Temporal.Instant, from: string, to: string): Temporal.Instant {
  return at.toZonedDateTimeISO(from).toPlainDateTime().toZonedDateTime(to).toInstant()
}
