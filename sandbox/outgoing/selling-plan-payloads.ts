import { decimalOf } from '#kit/money'
import type { Shop } from '../shop.ts'
import type { SellingPlan, SellingPlanGroup } from '../state/products.ts'
import { formsOf, number } from './json.ts'

/** The body of selling_plan_groups/create and update. */
export function sellingPlanGroupPayload(shop: Shop, group: SellingPlanGroup, plans: SellingPlan[]) {
  const form = formsOf(shop)
  return {
    admin_graphql_api_id: form.gid('SellingPlanGroup', group.id),
    id: number(group.id),
    name: group.name,
    merchant_code: group.merchantCode,
    admin_graphql_api_app: form.gid('App', '2525000003'),
    app_id: group.appId,
    description: group.description,
    options: group.options,
    position: group.position,
    summary: `${plans.length} delivery frequenc${plans.length === 1 ? 'y' : 'ies'}`,
    selling_plans: plans.map((plan) => ({
      name: plan.name,
      options: plan.options,
      position: plan.position,
      description: plan.description,
      billing_policy: {
        interval: plan.billingPolicy.interval.toLowerCase(),
        interval_count: plan.billingPolicy.intervalCount,
        min_cycles: plan.billingPolicy.minCycles,
        max_cycles: plan.billingPolicy.maxCycles
      },
      delivery_policy: {
        interval: plan.deliveryPolicy.interval.toLowerCase(),
        interval_count: plan.deliveryPolicy.intervalCount,
        anchors: [],
        cutoff: null,
        pre_anchor_behavior: 'asap'
      },
      pricing_policies: plan.pricingPolicies.map((policy) => ({
        adjustment_type: policy.adjustmentType.toLowerCase(),
        adjustment_value:
          policy.amountMinor === null ? policy.percentage : decimalOf(policy.amountMinor, shop.currency),
        after_cycle: policy.afterCycle
      }))
    })),
    product_variants: [],
    products: group.productIds.map((id) => ({ id: number(id), admin_graphql_api_id: form.gid('Product', id) }))
  }
}
