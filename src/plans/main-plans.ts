import { internalId, publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import type { Plan } from './plan.ts'
import { collectionsOf, MAX_COLLECTIONS } from './plan-collections.ts'
import { TIERS, type Tier } from './pricing/index.ts'
import { listPlans } from './queries.ts'
import { mainPlanBillsOtherwise, notMainPlan, tooManyCollections } from './refusals.ts'
import { type ChosenPlans, mainPlanSettings } from './settings.ts'
import { tierOf } from './tier-plans.ts'

type Cadence = Pick<Plan, 'interval' | 'intervalCount'>

/** `note`: why it is another plan than the one that was chosen, or than the oldest enabled one where none was. */
export type ExplainedMainPlan = { plan: Plan | null; note: string | null }

/** How a main plan bills, in weeks or months as `i_name` and `i_count` of svc_plan_settings (spec 3) have it; null for what cannot be said so. */
export function mainCadence({ interval, intervalCount }: Cadence): { name: 'week' | 'month'; count: number } | null {
  const name = interval === 'day' || interval === 'week' ? 'week' : 'month'
  const count = interval === 'day' ? intervalCount / 7 : interval === 'year' ? intervalCount * 12 : intervalCount
  return Number.isInteger(count) && count >= 1 && count <= 28 ? { name, count } : null
}

/** The plan whose perks count for each tier: the chosen one, or else the oldest that is enabled. `plans` are in order of age. */
export function mainPlans(plans: readonly Plan[], chosen?: ChosenPlans): Record<Tier, Plan | null> {
  const { vip, elite } = decideMainPlans(plans, chosen)
  return { vip: vip.plan, elite: elite.plan }
}

/** The main plans among the store's plans, which are in order of age. */
export async function findMainPlans(ctx: Ctx, plans: readonly Plan[]): Promise<Record<Tier, Plan | null>> {
  return mainPlans(plans, await settingsOf(ctx, mainPlanSettings))
}

/** The main plans of the store, and why they are not the chosen ones. */
export async function explainMainPlans(ctx: Ctx): Promise<Record<Tier, ExplainedMainPlan>> {
  return decideMainPlans(await listPlans(ctx), await settingsOf(ctx, mainPlanSettings))
}

/** Refuses a plan, by its public id, that cannot be the main one of its type, naming the field of the setting and the reason. */
export async function assertMainPlans(ctx: Ctx, chosen: Partial<ChosenPlans>): Promise<void> {
  const plans = await listPlans(ctx)
  for (const tier of TIERS) {
    const id = chosen[tier] ?? null
    const reason = id === null ? null : whyNotMain(plans, tier, id)
    if (reason !== null) throw notMainPlan(tier, reason)
  }
  const { vip, elite } = mainPlans(plans, { ...(await settingsOf(ctx, mainPlanSettings)), ...chosen })
  const count = new Set([vip, elite].flatMap((plan) => (plan ? collectionsOf(plan) : []))).size
  if (count > MAX_COLLECTIONS) throw tooManyCollections(chosen.vip ? 'vip' : 'elite', count, MAX_COLLECTIONS)
}

/** The main plan of the other type of membership: a discount function reads both. Null for a plan of products. */
export async function otherMainPlan(ctx: Ctx, type: Plan['type']): Promise<Plan | null> {
  if (type === 'product') return null
  return (await findMainPlans(ctx, await listPlans(ctx)))[type === 'vip' ? 'elite' : 'vip']
}

/** Refuses terms with which a plan that was chosen could be no main plan any more. */
export async function assertStaysMain(ctx: Ctx, plan: Plan): Promise<void> {
  const tier = tierOf(plan)
  if (tier === null || mainCadence(plan) !== null) return
  const chosen = await settingsOf(ctx, mainPlanSettings)
  if (chosen[tier] === publicId('plan', plan.id)) throw mainPlanBillsOtherwise(tier, everyOf(plan))
}

/** The main plans among these, which are in order of age, with why. */
export function decideMainPlans(
  plans: readonly Plan[],
  chosen: ChosenPlans = { vip: null, elite: null }
): Record<Tier, ExplainedMainPlan> {
  return { vip: explainOne(plans, 'vip', chosen.vip), elite: explainOne(plans, 'elite', chosen.elite) }
}

function explainOne(plans: readonly Plan[], tier: Tier, chosen: string | null): ExplainedMainPlan {
  const enabled = plans.filter(({ type, status }) => type === tier && status === 'enabled')
  const expected = chosen ?? (enabled[0] ? publicId('plan', enabled[0].id) : null)
  if (expected === null) return { plan: null, note: null }
  const reason = whyNotMain(plans, tier, expected)
  if (reason === null) return { plan: planOf(plans, expected), note: null }
  const plan = enabled.find((one) => mainCadence(one) !== null) ?? null
  const instead = plan ? 'the oldest enabled plan that can be the main one counts' : 'there is no main plan'
  return { plan, note: `${reason}, so ${instead}` }
}

const planOf = (plans: readonly Plan[], id: string): Plan | null =>
  plans.find((plan) => plan.id === internalId('plan', id)) ?? null

/** Null for a plan that can be the main one of the tier. */
function whyNotMain(plans: readonly Plan[], tier: Tier, id: string): string | null {
  const plan = planOf(plans, id)
  if (!plan) return `${id} does not exist`
  if (plan.type !== tier) return `${id} is of type ${plan.type}`
  if (plan.status !== 'enabled') return `${id} is disabled`
  return mainCadence(plan) === null ? `${id} bills ${everyOf(plan)}` : null
}

const everyOf = ({ interval, intervalCount }: Cadence): string =>
  intervalCount === 1 ? `every ${interval}` : `every ${intervalCount} ${interval}s`
