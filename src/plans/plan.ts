import { instant, int, json, nullable, oneOf, type RowOf, row, text, textList } from '#kit/postgres'
import type { Perks } from './perks.ts'

export const PLAN_TYPES = ['vip', 'elite', 'product'] as const
export const PLAN_STATUSES = ['enabled', 'disabled'] as const
export const TRIAL_TYPES = ['next_billing_date', 'days'] as const
export const CREDIT_PAYOUT_TYPES = ['coupon', 'function', 'storecredit', 'giftcard'] as const

/** A version as contracts are looked up in it. Several may share a selling plan; `sinceMs` tells them apart. */
export type SoldVersion = { version: number; sellingPlanId: string; sinceMs: number }

/** What customers can join. Money in minor units of `currency`. */
export const Plan = row({
  id: int,
  name: text,
  /** The contract numbers memberships: VIP is 1, Elite is 2 (spec 3, svc_plan_settings). */
  type: oneOf(...PLAN_TYPES),
  status: oneOf(...PLAN_STATUSES),
  /** Null for a product plan, which gives no tier. */
  tierName: nullable(text),
  priceMinor: int,
  currency: text,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int,
  /** Null: it goes on until it is cancelled. */
  maxCycles: nullable(int),
  /** The contract's ft_type: until the next billing date is 1, a number of days is 2. Null: no trial. */
  trialType: nullable(oneOf(...TRIAL_TYPES)),
  /** 0 unless the trial is a number of days. */
  trialDays: int,
  trialPriceMinor: int,
  creditMinor: int,
  creditType: oneOf(...CREDIT_PAYOUT_TYPES),
  /** ISO 3166-1 alpha-2; empty is every country. */
  allowedCountries: textList,
  perks: json<Perks>(),
  currentVersion: int,
  /** Every version, oldest first. */
  versions: json<SoldVersion[]>(),
  /** The platform's products that are sold under it: a membership's own, or those of a product plan. */
  productIds: textList,
  /** Null for a product plan. */
  platformProductId: nullable(text),
  platformVariantId: nullable(text),
  platformSellingPlanGroupId: text,
  /** That of the current version. */
  platformSellingPlanId: text,
  createdAt: instant,
  updatedAt: instant
})
export type Plan = RowOf<typeof Plan>

/** A version with its numbers. */
export const PlanVersion = row({
  version: int,
  priceMinor: int,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int,
  creditMinor: int,
  appliesTo: oneOf('new', 'running'),
  createdAt: instant
})
export type PlanVersion = RowOf<typeof PlanVersion>

/** Whether a line that was sold under this selling plan is of this plan, in any of its versions. */
export function isSoldUnder(plan: Plan, sellingPlanId: string): boolean {
  return (
    plan.platformSellingPlanId === sellingPlanId ||
    plan.versions.some((version) => version.sellingPlanId === sellingPlanId)
  )
}

/**
 * The version that was for sale under a selling plan at a moment: the newest by then, or else the first one. Null when the
 * selling plan is none of the plan's.
 */
export function versionSoldAt(plan: Plan, sellingPlanId: string, at: Temporal.Instant): number | null {
  const sold = plan.versions.filter((version) => version.sellingPlanId === sellingPlanId)
  const made = sold.filter(({ sinceMs }) => sinceMs <= at.epochMilliseconds)
  return (made.at(-1) ?? sold[0])?.version ?? null
}
