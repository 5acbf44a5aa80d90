import type { PlatformClient } from './client.ts'
import { setPrice } from './create-plan-product.ts'
import type { Fields } from './fields.ts'
import { failed, type PlatformResult, succeeded } from './outcome.ts'
import { PlanProductsAdd, PlanProductsRemove, PlanSellingGroup, PlanSellingGroupUpdate } from './plan-documents.ts'
import { gid, type ProfileName } from './profiles.ts'
import { sellingPlanOf } from './selling-plan.ts'
import type { PlanOnSale, PlanTerms } from './shapes.ts'

type SellingPlan = { id: string; rhythm: string }
type Group = { productIds: string[]; sellingPlans: SellingPlan[] }

/**
 * Brings a plan's price, selling plan and products on the platform to what they are to be. A selling plan keeps its number
 * as long as the rhythm stays; another rhythm is another selling plan of the group, in place of the old one. Contracts that
 * were made under it keep their terms and its number.
 */
export async function sellPlan(
  client: PlatformClient,
  profile: ProfileName,
  { sellingPlanGroupId, productId, variantId, productIds }: PlanOnSale,
  terms: PlanTerms
): Promise<PlatformResult<string>> {
  const id = gid(profile, 'SellingPlanGroup', sellingPlanGroupId)
  const found = await client.query(PlanSellingGroup, { id }, readFound)
  if (!found.ok) return found
  if (!found.value) return failed({ kind: 'rejected', message: 'Its selling plan group is gone', field: 'id' })

  if (productId !== null && variantId !== null) {
    const priced = await setPrice(client, profile, { productId, variantId }, terms)
    if (!priced.ok) return priced
  }
  const sold = await setSellingPlan(client, profile, id, found.value, terms, productId === null ? 'plan' : 'variant')
  if (!sold.ok) return sold

  for (const [document, changed] of [
    [PlanProductsAdd, productIds.filter((product) => !found.value!.productIds.includes(product))],
    [PlanProductsRemove, found.value.productIds.filter((product) => !productIds.includes(product))]
  ] as const) {
    if (changed.length === 0) continue
    const gids = changed.map((product) => gid(profile, 'Product', product))
    const done = await client.mutate(document, { id, productIds: gids }, () => null)
    if (!done.ok) return done
  }
  return sold
}

async function setSellingPlan(
  client: PlatformClient,
  profile: ProfileName,
  id: string,
  { sellingPlans }: Group,
  terms: PlanTerms,
  pricedBy: 'variant' | 'plan'
): Promise<PlatformResult<string>> {
  const wanted = rhythmOf(terms.interval, terms.intervalCount)
  const kept = sellingPlans.find(({ rhythm }) => rhythm === wanted)
  const plan = sellingPlanOf(terms, pricedBy)
  const gids = (plans: SellingPlan[]) => plans.map((old) => gid(profile, 'SellingPlan', old.id))
  const input = {
    ...(kept ? { sellingPlansToUpdate: [{ id: gids([kept])[0], ...plan }] } : { sellingPlansToCreate: [plan] }),
    sellingPlansToDelete: gids(sellingPlans.filter((old) => old !== kept))
  }
  const sold = await client.mutate(PlanSellingGroupUpdate, { id, input }, (payload) => {
    const group = payload.at('sellingPlanGroup')
    const made = readPlans(group).find(({ rhythm }) => rhythm === wanted)
    return made?.id ?? group.refuse('sellingPlans', `must have the plan of ${wanted}`)
  })
  return sold.ok ? succeeded(sold.value) : sold
}

const rhythmOf = (interval: string, intervalCount: number) => `${intervalCount} ${interval}`

function readFound(data: Fields): Group | null {
  const group = data.maybeAt('sellingPlanGroup')
  if (!group) return null
  return {
    productIds: group
      .at('products')
      .list('nodes')
      .map((product) => product.id('id')),
    sellingPlans: readPlans(group)
  }
}

function readPlans(group: Fields): SellingPlan[] {
  return group
    .at('sellingPlans')
    .list('nodes')
    .map((plan) => {
      const policy = plan.at('billingPolicy')
      return { id: plan.id('id'), rhythm: rhythmOf(policy.lower('interval'), policy.int('intervalCount')) }
    })
}
