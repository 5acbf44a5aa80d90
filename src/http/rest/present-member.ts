import type { Static } from 'typebox'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { customerPayload } from '#members'
import type { MemberBody } from '#resources'
import type { PlatformProfileName } from '#stores'
import type { MemberView } from '#views'

/** A member of the direct API. The spec shows no field but the points; the others are ours (docs/decisions). */
export function presentMember(member: MemberView, profile: PlatformProfileName): Static<typeof MemberBody> {
  return {
    id: publicId('mem', member.id),
    customer: customerPayload({ ...member, memberId: member.id }, profile),
    status: member.status,
    plan_id: member.planId === null ? null : publicId('plan', member.planId),
    plan_name: member.planName,
    tier: member.tier,
    loyalty_tier: member.loyaltyTier,
    loyalty_points: member.loyaltyPoints,
    store_credit_balance: numberOf(member.storeCreditMinor, member.currency),
    currency: member.currency,
    birth_date: member.birthDate?.toString() ?? null,
    member_since: member.memberSince,
    next_billing_date: member.nextBillingAt,
    created_at: member.createdAt,
    updated_at: member.updatedAt
  }
}
