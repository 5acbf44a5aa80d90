import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import { failed, type PlatformResult, succeeded } from '../wire/outcome.ts'
import { setPrice } from './create-plan-product.ts'
import { PlanProductsAdd, PlanProductsRemove, PlanSellingGroup, PlanSellingGroupUpdate } from './documents.ts'
import type { PlanOnSale, PlanTerms } from './plan-on-sale.ts'
import { sellingPlanOf } from './selling-plan.ts'

/** `isPriced`: it has a price besides that of the products. */
type SellingPlan = { id: string; cadence: string; isPriced: boolean }
type Group = { productIds: string[]; sellingPlans: SellingPlan[] }

/**
 * Updates a plan's price, selling plan and products on the platform. A selling plan keeps its id as long as the cadence stays;
 * another cadence is another selling plan of the group, which replaces the old one. Existing contracts keep their terms and
 * the id of their selling plan.
 */
export async function publishPlan(
  client: PlatformClient,
  { sellingPlanGroupId, productId, variantId, productIds }: PlanOnSale,
  terms: PlanTerms
): Promise<PlatformResult<string>> {
  const id = client.gid('SellingPlanGroup', sellingPlanGroupId)
  const found = await client.query(PlanSellingGroup, { id }, readFound)
  if (!found.ok) return found
  if (!found.value) return failed({ kind: 'rejected', message: 'Its selling plan group is gone', field: 'id' })

  if (productId !== null && variantId !== null) {
    const priced = await setPrice(client, { productId, variantId }, terms)
    if (!priced.ok) return priced
  }
  const published = await setSellingPlan(client, id, found.value, terms, productId === null ? 'plan' : 'variant')
  if (!published.ok) return published

  for (const [document, changed] of [
    [PlanProductsAdd, productIds.filter((product) => !found.value!.productIds.includes(product))],
    [PlanProductsRemove, found.value.productIds.filter((product) => !productIds.includes(product))]
  ] as const) {
    if (changed.length === 0) continue
    const gids = changed.map((product) => client.gid('Product', product))
    const done = await client.mutate(document, { id, productIds: gids }, () => null)
    if (!done.ok) return done
  }
  return published
}

async function setSellingPlan(
  client: PlatformClient,
  id: string,
  { sellingPlans }: Group,
  terms: PlanTerms,
  pricedBy: 'variant' | 'plan'
): Promise<PlatformResult<string>> {
  const wanted = cadenceOf(terms.interval, terms.intervalCount)
  const kept = sellingPlans.find(({ cadence }) => cadence === wanted)
  const plan = sellingPlanOf(terms, pricedBy)
  const gids = (plans: SellingPlan[]) => plans.map((old) => client.gid('SellingPlan', old.id))
  const input = {
    ...(kept ? { sellingPlansToUpdate: [{ id: gids([kept])[0], ...plan }] } : { sellingPlansToCreate: [plan] }),
    sellingPlansToDelete: gids(sellingPlans.filter((old) => old !== kept))
  }
  const updated = await client.mutate(PlanSellingGroupUpdate, { id, input }, (payload) => {
    const group = payload.at('sellingPlanGroup')
    const published = readPlans(group).find(({ cadence }) => cadence === wanted)
    return published ?? group.refuse('sellingPlans', `must have the plan of ${wanted}`)
  })
  if (!updated.ok) return updated
  // An empty list empties what was there. Should it be left after all, members would go on paying a price that nobody offers.
  if (updated.value.isPriced && plan.pricingPolicies.length === 0) {
    return failed({ kind: 'rejected', message: 'Its selling plan has kept an old price', field: 'pricingPolicies' })
  }
  return succeeded(updated.value.id)
}

const cadenceOf = (interval: string, intervalCount: number) => `${intervalCount} ${interval}`

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
      return {
        id: plan.id('id'),
        cadence: cadenceOf(policy.lower('interval'), policy.int('intervalCount')),
        isPriced: plan.list('pricingPolicies').length > 0
      }
    })
}
