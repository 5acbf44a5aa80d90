import { type Ctx, int, row, sql } from '#kit/postgres'
import { storeFacts } from '#stores'
import { linesOfTerms } from './activity-lines.ts'
import { billingDate } from './billing-dates.ts'
import { changesOf, subscriptionUpdated } from './events.ts'
import { carryOut } from './moves.ts'
import { lockSubscriptions } from './queries.ts'
import { datesAt, type Subscription } from './subscription.ts'
import { isInBilling } from './transitions.ts'

const BATCH = 1000

/**
 * The shop lives in another time zone from now on: cycles keep the day and the time of day that they had, on the clocks of the
 * new zone. What is in billing keeps its instant, and no cycle changes its number, so none is billed twice or left out. To be
 * called in the transaction that changed the zone; subscriptions are held until it ends. Returns how many moved.
 */
export async function moveTimezone(ctx: Ctx, from: string): Promise<number> {
  const store = await storeFacts(ctx)
  const moved = (at: Temporal.Instant) => onClocksOf(at, from, store.timezone)
  let done = 0
  for (let after = 0; ; ) {
    const ids = await listLive(ctx, after)
    if (ids.length === 0) return done
    after = ids.at(-1)!
    const planned = (await lockSubscriptions(ctx, ids)).map((before) => {
      const anchored = {
        ...before,
        anchorAt: moved(before.anchorAt),
        trialEndsAt: before.trialEndsAt && moved(before.trialEndsAt)
      }
      const isDated = before.status === 'active' && !isInBilling(before)
      const at = isDated ? billingDate(anchored, before.nextCycle, store.timezone) : null
      const dates = at ? datesAt(anchored, at) : {}
      const states: Subscription = { ...anchored, ...dates, updatedAt: ctx.now }
      const changes = changesOf(before, states)
      return {
        before,
        after: states,
        events: Object.keys(changes).length > 0 ? [subscriptionUpdated(states, changes, store.profile)] : [],
        activities: linesOfTerms(before, states, store.timezone).map((line) => ({
          ...line,
          text: `The shop moved from ${from} to ${store.timezone}: ${line.text}`
        }))
      }
    })
    await carryOut(ctx, planned, 'platform')
    done += planned.length
  }
}

/** The same local day and time in another zone; where daylight saving leaves it out there, Temporal's `compatible`. */
function onClocksOf(at: Temporal.Instant, from: string, to: string): Temporal.Instant {
  return at.toZonedDateTimeISO(from).toPlainDateTime().toZonedDateTime(to).toInstant()
}

async function listLive(ctx: Ctx, after: number): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from subscriptions
     where store_id = ${ctx.storeId} and id > ${after}
       and (status in ('active', 'paused') or grace_ends_at is not null)
     order by id limit ${BATCH}`
  )
  return rows.map(({ id }) => id)
}
