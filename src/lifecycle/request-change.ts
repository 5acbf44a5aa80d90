import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { assertHolderAllowed } from '#members'
import { listPlans, listPlanVersions, type Plan } from '#plans'
import { type Actor, holderOf, listChanges, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, dropChange, writeChanges } from '#subscriptions/transitions'
import { planChange, type RequestedChange } from './plan-change.ts'

/**
 * Requests other terms, which hold from the next cycle on: the platform's contract is edited after the commit, and the
 * subscription follows it. Terms that were requested before and are not made yet stay requested where this says nothing of them.
 * A plan brings its price and interval along unless they are given too. Returns whether anything is to be changed.
 */
export async function requestChange(ctx: Ctx, id: number, requested: RequestedChange, by: Actor): Promise<boolean> {
  const subscription = await lockSubscription(ctx, id)
  const { platformPaymentMethodId, ...terms } = requested
  if (Object.values(terms).some((value) => value !== undefined)) assertAllowed('change_terms', subscription, ctx.now)
  if (platformPaymentMethodId !== undefined) assertAllowed('change_payment', subscription, ctx.now)

  const [waiting] = await listChanges(ctx, [id])
  const plan = requested.planId === undefined ? null : planFor(subscription, requested.planId, await listPlans(ctx))
  if (plan && plan.id !== subscription.planId) await assertHolderAllowed(ctx, plan, holderOf(subscription))
  const isPlain = plan !== null && (await paysPlanPrice(ctx, subscription))
  const change = planChange(subscription, waiting ?? null, plan && { ...plan, isPlain }, requested, by)
  if (change) await writeChanges(ctx, [change])
  else if (waiting) await dropChange(ctx, id)

  return change !== null
}

/** Whether the contract is for nothing but its plan, so that its price under another plan is known beforehand. */
async function paysPlanPrice(ctx: Ctx, { planId, planVersion, priceMinor }: Subscription): Promise<boolean> {
  if (planId === null) return false
  const versions = await listPlanVersions(ctx, planId)
  return versions.find(({ version }) => version === planVersion)?.priceMinor === priceMinor
}

function planFor({ currency }: Subscription, planId: number, plans: Plan[]): Plan {
  const plan = plans.find(({ id }) => id === planId)
  if (!plan) throw invalidField('plan_id', 'must be the id of a plan of this store')
  if (plan.status === 'disabled') throw invalidField('plan_id', 'must be the id of a plan that is enabled')
  if (plan.platformVariantId === null) throw invalidField('plan_id', 'must be the id of a membership plan')
  if (plan.currency !== currency) throw invalidField('plan_id', `must be the id of a plan in ${currency}`)
  return plan
}
