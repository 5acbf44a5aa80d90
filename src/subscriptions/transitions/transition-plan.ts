import type { Fact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type StoreContext, storeContext } from '#stores'
import type { ActivityMessage } from '../history/activity-messages.ts'
import type { Subscription } from '../subscription.ts'

/**
 * What an action changes on one locked subscription. Planning writes nothing: a preview is a plan that is not applied. The
 * facts are snapshots of `after`.
 */
export type TransitionPlan = {
  before: Subscription
  after: Subscription & { cancelComment?: string | null }
  events: Fact[]
  activities: ActivityMessage[]
}

/** The plan of an action that has nothing left to do; applying it writes nothing. */
export const noChange = (s: Subscription): TransitionPlan => ({ before: s, after: s, events: [], activities: [] })

/** What planning depends on besides the subscription: the store's time, and the shop's time zone and settings. */
export type PlanContext = { now: Temporal.Instant; store: StoreContext }

/** The context of this transaction's plans. */
export async function planContextOf(ctx: Ctx): Promise<PlanContext> {
  return { now: ctx.now, store: await storeContext(ctx) }
}

/** The next cycle has not failed yet. */
export const noDeclines = { declines: 0, inventoryFailures: 0, paymentMethodDeadline: null }
