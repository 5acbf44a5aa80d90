import { instant, int, json, nullable, oneOf, type RowOf, row, text, textList } from '#kit/postgres'
import { CREDIT_PAYOUT_TYPES } from './credit-payout-types.ts'
import type { Perks } from './pricing/perks.ts'

export const PLAN_TYPES = ['vip', 'elite', 'product'] as const
export const PLAN_STATUSES = ['enabled', 'disabled'] as const
export const TRIAL_TYPES = ['next_billing_date', 'days'] as const

/** A version, for finding the one of a contract. Versions may share a selling plan; `sinceMs` (epoch) tells them apart. */
export type SoldVersion = { version: number; sellingPlanId: string; sinceMs: number }

/** A plan that customers can buy. Amounts are in minor units of `currency`. */
export const Plan = row({
  id: int,
  name: text,
  /** In svc_plan_settings (spec 3) VIP is 1 and Elite is 2. */
  type: oneOf(...PLAN_TYPES),
  status: oneOf(...PLAN_STATUSES),
  /** Null for a product plan, which gives no tier. */
  tierName: nullable(text),
  priceMinor: int,
  currency: text,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int,
  /** Null: it continues until it is cancelled. */
  maxCycles: nullable(int),
  /** ft_type in spec 3: until the next billing date is 1, a number of days is 2. Null: no trial. */
  trialType: nullable(oneOf(...TRIAL_TYPES)),
  /** 0 unless the trial is a number of days. */
  trialDays: int,
  trialPriceMinor: int,
  creditMinor: int,
  creditType: oneOf(...CREDIT_PAYOUT_TYPES),
  /** ISO 3166-1 alpha-2; empty: every country. */
  allowedCountries: textList,
  perks: json<Perks>(),
  currentVersion: int,
  /** Every version, oldest first. */
  versions: json<SoldVersion[]>(),
  /** Ids of the platform's products that it sells: a membership's own product, or the products of a product plan. */
  productIds: textList,
  /** Null for a product plan. */
  platformProductId: nullable(text),
  platformVariantId: nullable(text),
  platformSellingPlanGroupId: text,
  /** The selling plan of the current version. */
  platformSellingPlanId: text,
  createdAt: instant,
  updatedAt: instant
})
export type Plan = RowOf<typeof Plan>

/**
 * Whom a version is for besides new subscriptions: nobody, the running ones that pay the list price of the version that they
 * have, or all running ones, also where a price was agreed with one person. Versions of before this choice have `running`: all of
 * them.
 */
export const VERSION_TARGETS = ['new', 'list_price', 'all'] as const
export type VersionTarget = (typeof VERSION_TARGETS)[number]

/** A version with its terms. */
export const PlanVersion = row({
  version: int,
  priceMinor: int,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int,
  creditMinor: int,
  appliesTo: oneOf(...VERSION_TARGETS, 'running'),
  createdAt: instant
})
export type PlanVersion = RowOf<typeof PlanVersion>

/** Whether the selling plan belongs to any version of the plan. */
export function isSoldUnder(plan: Plan, sellingPlanId: string): boolean {
  return (
    plan.platformSellingPlanId === sellingPlanId ||
    plan.versions.some((version) => version.sellingPlanId === sellingPlanId)
  )
}

/**
 * The version that was sold under a selling plan at an instant: the newest that existed, or else the first one. Null if the
 * selling plan does not belong to the plan.
 */
export function versionSoldAt(plan: Plan, sellingPlanId: string, at: Temporal.Instant): number | null {
  const sold = plan.versions.filter((version) => version.sellingPlanId === sellingPlanId)
  const existing = sold.filter(({ sinceMs }) => sinceMs <= at.epochMilliseconds)
  return (existing.at(-1) ?? sold[0])?.version ?? null
}
