import type { Anchor, BillingPolicy, DeliveryPolicy, Interval } from '../state/contracts.ts'
import type { PlanFields, PricingPolicy, SellingPlan } from '../state/products.ts'
import type { Api } from '../wire/api.ts'
import { numberIn } from '../wire/gid.ts'
import { amountFrom } from '../wire/money.ts'
import { type UserError, userError } from './user-errors.ts'

type AnchorInput = { type?: string; day?: number; month?: number | null; cutoffDay?: number | null }
type RecurringInput = {
  interval?: Interval
  intervalCount?: number
  minCycles?: number | null
  maxCycles?: number | null
  anchors?: AnchorInput[] | null
}
type PricingInput = {
  adjustmentType?: PricingPolicy['adjustmentType']
  adjustmentValue?: { percentage?: number | null; fixedValue?: string | null } | null
  afterCycle?: number
}
type PlanInput = {
  id?: string | null
  name?: string | null
  description?: string | null
  category?: string | null
  options?: string[] | null
  position?: number | null
  billingPolicy?: { recurring?: RecurringInput | null; fixed?: unknown } | null
  deliveryPolicy?: { recurring?: (RecurringInput & { cutoff?: number | null }) | null; fixed?: unknown } | null
  inventoryPolicy?: { reserve?: string | null } | null
  pricingPolicies?: { fixed?: PricingInput | null; recurring?: PricingInput | null }[] | null
}
export type GroupInput = {
  appId?: string | null
  name?: string | null
  merchantCode?: string | null
  description?: string | null
  options?: string[] | null
  position?: number | null
  sellingPlansToCreate?: PlanInput[] | null
  sellingPlansToUpdate?: PlanInput[] | null
  sellingPlansToDelete?: string[] | null
}

export function anchorsFrom(anchors: AnchorInput[] | null | undefined): Anchor[] {
  return (anchors ?? []).map(({ type, day, month, cutoffDay }) => ({
    type: type ?? 'MONTHDAY',
    day: day ?? 1,
    month: month ?? null,
    cutoffDay: cutoffDay ?? null
  }))
}

/** The plans of an input, or the error of the first invalid one. `old` provides the fields that an update omits. */
export function plansFrom(
  api: Api,
  inputs: PlanInput[],
  argument: string,
  old: Map<string, SellingPlan>
): PlanFields[] | UserError {
  const plans: PlanFields[] = []
  for (const [i, input] of inputs.entries()) {
    const at = ['input', argument, String(i)]
    const id = input.id ? numberIn(api.shop, 'SellingPlan', input.id) : null
    const before = id === null ? null : (old.get(id) ?? null)
    if (argument === 'sellingPlansToUpdate' && !before) {
      return userError([...at, 'id'], 'Selling plan does not exist.', 'PLAN_DOES_NOT_EXIST')
    }
    const name = input.name ?? before?.name
    if (!name) return userError([...at, 'name'], "Name can't be blank", 'BLANK')
    const billing = input.billingPolicy?.recurring
    const delivery = input.deliveryPolicy?.recurring
    if (!billing && !before) {
      return userError(
        [...at, 'billingPolicy'],
        'Selling plan must have a billing policy.',
        'SELLING_PLAN_BILLING_POLICY_MISSING'
      )
    }
    const billingPolicy: BillingPolicy = billing ? billingFrom(billing) : before!.billingPolicy
    const deliveryPolicy: DeliveryPolicy = delivery ? billingFrom(delivery) : (before?.deliveryPolicy ?? billingPolicy)
    if (billingPolicy.intervalCount < 1) {
      return userError([...at, 'billingPolicy'], 'Interval count must be greater than 0', 'GREATER_THAN')
    }
    const pricing = input.pricingPolicies ? pricingFrom(api, input.pricingPolicies) : (before?.pricingPolicies ?? [])
    if (!pricing) return userError([...at, 'pricingPolicies'], 'Adjustment value is invalid', 'INVALID')
    plans.push({
      id,
      name,
      description: input.description ?? before?.description ?? null,
      category: input.category ?? before?.category ?? null,
      options: input.options ?? before?.options ?? [],
      position: input.position ?? before?.position ?? null,
      billingPolicy,
      deliveryPolicy: { ...deliveryPolicy },
      pricingPolicies: pricing,
      more: {
        cutoff: delivery ? (delivery.cutoff ?? null) : (before?.more.cutoff ?? null),
        reserve: input.inventoryPolicy?.reserve ?? before?.more.reserve ?? 'ON_FULFILLMENT'
      }
    })
  }
  return plans
}

function billingFrom(input: RecurringInput): BillingPolicy {
  return {
    interval: input.interval ?? 'MONTH',
    intervalCount: input.intervalCount ?? 1,
    minCycles: input.minCycles ?? null,
    maxCycles: input.maxCycles ?? null,
    anchors: anchorsFrom(input.anchors)
  }
}

function pricingFrom(
  api: Api,
  inputs: { fixed?: PricingInput | null; recurring?: PricingInput | null }[]
): PricingPolicy[] | null {
  const policies: PricingPolicy[] = []
  for (const { fixed, recurring } of inputs) {
    const input = fixed ?? recurring
    if (!input) continue
    const { percentage, fixedValue } = input.adjustmentValue ?? {}
    const amountMinor = fixedValue == null ? null : amountFrom(fixedValue, api.shop.currency)
    if (amountMinor === null && percentage == null) return null
    policies.push({
      afterCycle: recurring ? (recurring.afterCycle ?? 1) : null,
      adjustmentType: input.adjustmentType ?? 'PRICE',
      percentage: percentage ?? null,
      amountMinor
    })
  }
  return policies
}
