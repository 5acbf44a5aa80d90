import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { assertHolderAllowed } from '#members'
import { listPlans, listPlanVersions, type Plan } from '#plans'
import { type Actor, type Change, holderOf, listChanges, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, dropChange, type NewChange, writeChanges } from '#subscriptions/transitions'
import { planChange, type RequestedChange } from './plan-change.ts'

/** What waits for the platform's contract before and after a request; null where nothing does. */
export type ChangePlan = { before: Change | null; after: NewChange | null }

/**
 * Requests other terms, which hold from the next cycle on: the platform's contract is edited after the commit, and the
 * subscription follows it. Terms that were requested before and are not made yet stay requested where this says nothing of them.
 * A plan brings its price and interval along unless they are given too.
 */
export async function requestChange(ctx: Ctx, id: number, requested: RequestedChange, by: Actor): Promise<void> {
  const { before, after } = await previewChange(ctx, id, requested, by)
  if (after) await writeChanges(ctx, [after])
  else if (before) await dropChange(ctx, id)
}

/** What `requestChange` would write; refuses what it refuses. */
export async function previewChange(ctx: Ctx, id: number, requested: RequestedChange, by: Actor): Promise<ChangePlan> {
  const subscription = await lockSubscription(ctx, id)
  const { platformPaymentMethodId, ...terms } = requested
  if (Object.values(terms).some((value) => value !== undefined)) assertAllowed('change_terms', subscription, ctx.now)
  if (platformPaymentMethodId !== undefined) assertAllowed('change_payment', subscription, ctx.now)

  const [before = null] = await listChanges(ctx, [id])
  const plan = requested.planId === undefined ? null : planFor(subscription, requested.planId, await listPlans(ctx))
  if (plan && plan.id !== subscription.planId) await assertHolderAllowed(ctx, plan, holderOf(subscription))
  const isPlain = plan !== null && (await paysPlanPrice(ctx, subscription))
  return { before, after: planChange(subscription, before, plan && { ...plan, isPlain }, requested, by) }
}

/** Whether the contract is for nothing but its plan, so that its price under another plan is known beforehand. */
async function paysPlanPrice(ctx: Ctx, { planId, planVersion, priceMinor }: Subscription): Promise<boolean> {
  if (planId === null) return false
  const versions = await listPlanVersions(ctx, planId)
  return versions.find(({ version }) => version === planVersion)?.priceMinor === priceMinor
}

function planFor({ currency }: Subscription, planId: number, plans: Plan[]): Plan {
  const plan = plans.find(({ id }) => id === planId)
  if (!plan) throw invalidField('plan_id', 'must be the id of a plan of this store', 'not_found')
  if (plan.status === 'disabled') throw invalidField('plan_id', 'must be the id of a plan that is enabled')
  if (plan.platformVariantId === null) throw invalidField('plan_id', 'must be the id of a membership plan')
  if (plan.currency !== currency) throw invalidField('plan_id', `must be the id of a plan in ${currency}`)
  return plan
}
