import { randomUUID } from 'node:crypto'
import type { Ctx } from '#kit/postgres'
import { lockKeptCustomer } from '#members'
import { spendPoints } from '#points'
import { isLoyaltyOn } from '../is-loyalty-on.ts'
import { loyaltyIsOff, templateNotActive } from '../refusals.ts'
import { getTemplate } from '../templates/template-queries.ts'
import type { Coupon } from './coupon.ts'
import { findCoupon, findCouponOfOperation, findUnusedCoupon } from './coupon-queries.ts'
import { termsOfTemplate } from './coupon-terms.ts'
import { issueCoupons } from './issue-coupons.ts'

/** `requestId`: of a customer and a template, a request with the same one is carried out once; null: see `redeemTemplate`. */
export type Redemption = { memberId: number; templateId: number; requestId: string | null }

/**
 * Spends points for a coupon: both, or neither. Safe to repeat. A request without an id is answered with the coupon of the template that the
 * customer has and has not used, so that a second one is bought only by who asks for it. Refused where loyalty is off, the template is not
 * active, or the points are too few.
 */
export async function redeemTemplate(
  ctx: Ctx,
  { memberId: given, templateId, requestId }: Redemption
): Promise<Coupon> {
  // Of two requests of a customer at once, the later sees the coupon of the other.
  const memberId = await lockKeptCustomer(ctx, given)
  const template = await getTemplate(ctx, templateId)
  const operationId = `redemption:${memberId}:${templateId}:${requestId ?? randomUUID()}`
  const before =
    requestId === null
      ? await findUnusedCoupon(ctx, memberId, templateId)
      : await findCouponOfOperation(ctx, operationId)
  if (before !== null) return (await findCoupon(ctx, before))!
  if (!(await isLoyaltyOn(ctx))) throw loyaltyIsOff()
  if (!template.isActive) throw templateNotActive(template.name)
  const { name, requiredPoints: points, codePrefix, rules } = template
  const { refusal, entry } = await spendPoints(ctx, { memberId, points, reason: name, operationId })
  if (refusal) throw refusal
  const issued = await issueCoupons(ctx, [
    {
      ...{ memberId, source: { templateId }, name, terms: termsOfTemplate(template), codePrefix, operationId },
      expiresAfterDays: rules.expires_after_days,
      ...(entry && { pointsEntryId: entry.id })
    }
  ])
  return (await findCoupon(ctx, issued.get(operationId)!))!
}
