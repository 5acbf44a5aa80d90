import { isOn } from '../../../extensions/member-discounts/src/plan-settings.ts'

export type FirstPriceField = 'ft' | 'ft_price' | 'ft_type' | 'ft_duration'

/** `ft_type` of a price that is for so many days. */
const FOR_DAYS = 2

/** What a plan of `svc_plan_settings` costs at first; null where it costs the same at once. `days` is 0 for a price until the next payment. */
export function firstPriceOf(plan: Partial<Record<FirstPriceField, unknown>>): { price: unknown; days: number } | null {
  if (!isOn(plan.ft)) return null
  return { price: plan.ft_price, days: Number(plan.ft_type) === FOR_DAYS ? Number(plan.ft_duration) : 0 }
}
