import { randomUUID } from 'node:crypto'
import type { Queries } from '#kit/postgres'
import type { Shop } from '../shop.ts'
import type { Attribute, ContractDiscount, ContractLine, CycleDiscount } from '../state/contracts.ts'
import { findPlans, findProducts, findVariants, type SellingPlan } from '../state/products.ts'
import { amountFrom } from '../wire/money.ts'

export type LineInput = {
  productVariantId?: string | null
  quantity?: number | null
  currentPrice?: string | null
  sellingPlanId?: string | null
  sellingPlanName?: string | null
  customAttributes?: Attribute[] | null
  pricingPolicy?: {
    basePrice: string
    cycleDiscounts: {
      afterCycle: number
      adjustmentType: CycleDiscount['adjustmentType']
      adjustmentValue: { percentage?: number | null; fixedValue?: string | null }
      computedPrice: string
    }[]
  } | null
}

/** A line for a variant, given with numeric ids; null if the variant does not exist or an amount is invalid. */
export async function lineFrom(
  q: Queries,
  shop: Shop,
  input: LineInput & { variantId: string; planId: string | null },
  currency: string
): Promise<ContractLine | null> {
  const [variant] = await findVariants(q, shop.storeId, [input.variantId])
  const priceMinor = amountFrom(input.currentPrice ?? '', currency)
  if (!variant || priceMinor === null || priceMinor < 0) return null
  const [product] = await findProducts(q, shop.storeId, [variant.productId])
  const plan = input.planId ? (await findPlans(q, shop.storeId, [input.planId]))[0] : null
  return {
    id: randomUUID(),
    productId: variant.productId,
    variantId: variant.id,
    title: product?.title ?? variant.title,
    variantTitle: variant.title === 'Default Title' ? null : variant.title,
    sku: variant.sku,
    quantity: input.quantity ?? 1,
    priceMinor,
    ...pricingFrom(input.pricingPolicy, currency),
    sellingPlanId: input.planId,
    sellingPlanName: input.sellingPlanName ?? plan?.name ?? null,
    customAttributes: input.customAttributes ?? []
  }
}

export function pricingFrom(
  policy: LineInput['pricingPolicy'],
  currency: string
): Pick<ContractLine, 'basePriceMinor' | 'cycleDiscounts'> {
  if (!policy) return { basePriceMinor: null, cycleDiscounts: [] }
  return {
    basePriceMinor: amountFrom(policy.basePrice, currency) ?? 0,
    cycleDiscounts: policy.cycleDiscounts.map((change) => ({
      afterCycle: change.afterCycle,
      adjustmentType: change.adjustmentType,
      percentage: change.adjustmentValue.percentage ?? null,
      amountMinor:
        change.adjustmentValue.fixedValue == null ? null : amountFrom(change.adjustmentValue.fixedValue, currency),
      computedPriceMinor: amountFrom(change.computedPrice, currency) ?? 0
    }))
  }
}

/** A variant's price under a selling plan: the first price, and the changes after later cycles. */
export function planPricing(
  plan: SellingPlan,
  basePriceMinor: number
): Pick<ContractLine, 'priceMinor' | 'basePriceMinor' | 'cycleDiscounts'> {
  const priceWith = (policy: SellingPlan['pricingPolicies'][number]) => {
    if (policy.adjustmentType === 'PRICE') return policy.amountMinor ?? 0
    if (policy.adjustmentType === 'FIXED_AMOUNT') return Math.max(0, basePriceMinor - (policy.amountMinor ?? 0))
    return Math.round((basePriceMinor * (100 - (policy.percentage ?? 0))) / 100)
  }
  const fixed = plan.pricingPolicies.find((policy) => policy.afterCycle === null)
  return {
    priceMinor: fixed ? priceWith(fixed) : basePriceMinor,
    basePriceMinor,
    cycleDiscounts: plan.pricingPolicies
      .filter((policy) => policy.afterCycle !== null)
      .map((policy) => ({
        afterCycle: policy.afterCycle!,
        adjustmentType: policy.adjustmentType,
        percentage: policy.percentage,
        amountMinor: policy.amountMinor,
        computedPriceMinor: priceWith(policy)
      }))
  }
}

export type DiscountInput = {
  title?: string | null
  value?: {
    percentage?: number | null
    fixedAmount?: { amount?: number | null; appliesOnEachItem?: boolean | null } | null
  } | null
  recurringCycleLimit?: number | null
}

/** A manual discount; null if its value is invalid: a percentage must be 1 to 100, an amount above zero. */
export function discountFrom(
  input: DiscountInput,
  lineIds: string[] | null,
  currency: string
): ContractDiscount | null {
  const percentage = input.value?.percentage ?? null
  const fixed = input.value?.fixedAmount
  const amountMinor = fixed?.amount == null ? null : amountFrom(fixed.amount, currency)
  if (percentage === null ? amountMinor === null || amountMinor <= 0 : percentage < 1 || percentage > 100) return null
  return {
    id: randomUUID(),
    title: input.title ?? null,
    targetType: 'LINE_ITEM',
    percentage,
    amountMinor,
    appliesOnEachItem: fixed?.appliesOnEachItem ?? false,
    recurringCycleLimit: input.recurringCycleLimit ?? null,
    usageCount: 0,
    lineIds
  }
}
