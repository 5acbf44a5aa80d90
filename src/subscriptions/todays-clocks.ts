import { type Ctx, sql } from '#kit/postgres'
import { storeFacts } from '#stores'
import { linesOfTerms } from './activity-lines.ts'
import { billingDate } from './billing-dates.ts'
import { changesOf, subscriptionUpdated } from './events.ts'
import { datesAt, type Subscription } from './subscription.ts'
import { carryOut, pushContracts } from './transitions/moves.ts'
import { isInBilling, isOverForGood } from './transitions/transitions.ts'

/** What is over for good keeps the times at which it was so. */
export const isBehind = (s: Subscription, pastTimezones: string[]): boolean =>
  s.timezoneMoves < pastTimezones.length && !isOverForGood(s)

/**
 * Brings held subscriptions onto the clocks of the zone that the shop lives in now: cycles keep the day and the time of day
 * that they had. What is in billing keeps its instant, and no cycle changes its number, so none is billed twice or left out.
 * The platform's next dates follow after the commit.
 */
export async function moveOntoClocks(ctx: Ctx, behind: Subscription[]): Promise<void> {
  const store = await storeFacts(ctx)
  const planned = behind.map((before) => {
    const from = store.pastTimezones[before.timezoneMoves]!
    const moved = (at: Temporal.Instant) => onClocksOf(at, from, store.timezone)
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
      activities: linesOfTerms(before, after, store.timezone).map((line) => ({
        ...line,
        text: `The shop moved from ${from} to ${store.timezone}: ${line.text}`
      })),
      isDated
    }
  })
  await carryOut(ctx, planned, 'platform')
  await ctx.tx.run(sql`
    update subscriptions set timezone_moves = ${store.pastTimezones.length}
     where store_id = ${ctx.storeId} and id = any(${behind.map(({ id }) => id)}::bigint[])`)
  await pushContracts(
    ctx,
    planned.flatMap(({ before, isDated }) => (isDated ? before.id : []))
  )
}

/** The same local day and time in another zone; where daylight saving leaves it out there, Temporal's `compatible`. */
function onClocksOf(at: Temporal.Instant, from: string, to: string): Temporal.Instant {
  return at.toZonedDateTimeISO(from).toPlainDateTime().toZonedDateTime(to).toInstant()
}
