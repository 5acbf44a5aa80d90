import { isOn } from '../../../extensions/member-discounts/src/plan-settings.ts'

export type FirstPriceField = 'ft' | 'ft_price' | 'ft_duration'

/** What a plan of `svc_plan_settings` costs at first; null where it costs the same at once. `days` is 0 for a price until the next payment, of which `ft_duration` is empty. */
export function firstPriceOf(plan: Partial<Record<FirstPriceField, unknown>>): { price: unknown; days: number } | null {
  return isOn(plan.ft) ? { price: plan.ft_price, days: Number(plan.ft_duration) } : null
}
