import type { RatePlan } from '#stores'

/** The number of requests allowed in each window. Null: unlimited. */
export type Budget = { perMinute: number; perDay: number | null }

/** Requests per window by tariff (spec 1, Limits); days are UTC days. */
export const BUDGETS: Record<RatePlan, Budget> = {
  starter: { perMinute: 60, perDay: 10_000 },
  growth: { perMinute: 120, perDay: 50_000 },
  enterprise: { perMinute: 300, perDay: null }
}
