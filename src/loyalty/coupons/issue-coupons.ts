import { daysAfter } from '#kit/clock'
import type { Ctx } from '#kit/postgres'
import { randomCode } from '#kit/random'
import { storeContext } from '#stores'
import type { CouponTerms } from './coupon.ts'
import { insertCoupons } from './coupon-queries.ts'

/** 60 random bits after the prefix: nobody guesses a code. */
const RANDOM = 12

/** A coupon that a customer is to have, once for each operation. */
export type CouponIssue = {
  memberId: number
  /** The rule, the template or the tier that it comes from. */
  source: { ruleId: number } | { templateId: number } | { tierId: number }
  name: string
  terms: CouponTerms
  codePrefix: string
  /** Days of the shop; null: it does not expire. */
  expiresAfterDays: number | null
  pointsEntryId?: number
  operationId: string
}

/**
 * Records that coupons are wanted, in this transaction; the platform makes their discounts a moment later. Returns the id of each, by its
 * operation, which must not have one yet.
 */
export async function issueCoupons(ctx: Ctx, issues: CouponIssue[]): Promise<Map<string, number>> {
  if (issues.length === 0) return new Map()
  const { timezone } = await storeContext(ctx)
  return insertCoupons(
    ctx,
    issues.map(
      ({ memberId, source, name, terms, codePrefix, expiresAfterDays, pointsEntryId = null, operationId }) => ({
        ...{ ruleId: null, templateId: null, tierId: null, ...source },
        ...terms,
        memberId,
        name,
        code: codePrefix + randomCode(RANDOM),
        expiresAt: expiresAfterDays === null ? null : daysAfter(ctx.now, expiresAfterDays, timezone),
        pointsEntryId,
        operationId
      })
    )
  )
}
