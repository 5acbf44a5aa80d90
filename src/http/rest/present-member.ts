import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { customerPayload } from '#members'
import type { MemberView } from '#reports'
import type { PlatformProfileName } from '#stores'
import { OrNull } from './fields.ts'

export const CustomerBody = Type.Object({
  id: Type.String(),
  shopify_id: Type.String(),
  email: OrNull(Type.String()),
  first_name: OrNull(Type.String()),
  last_name: OrNull(Type.String())
})

export const MemberBody = Type.Object(
  {
    id: Type.String(),
    customer: CustomerBody,
    status: Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('cancelled')]),
    plan_id: OrNull(Type.String()),
    plan_name: OrNull(Type.String()),
    tier: OrNull(Type.String()),
    loyalty_points: Type.Integer(),
    store_credit_balance: Type.Number(),
    currency: Type.String(),
    birth_date: OrNull(Type.String()),
    member_since: Type.String(),
    next_billing_date: OrNull(Type.String()),
    created_at: Type.String(),
    updated_at: Type.String()
  },
  { additionalProperties: false }
)

/** A member of the direct API. The spec shows no field but the points; the others are ours (docs/decisions). */
export function presentMember(member: MemberView, profile: PlatformProfileName): Static<typeof MemberBody> {
  return {
    id: publicId('mem', member.id),
    customer: customerPayload({ ...member, memberId: member.id }, profile),
    status: member.status,
    plan_id: member.planId === null ? null : publicId('plan', member.planId),
    plan_name: member.planName,
    tier: member.tier,
    loyalty_points: member.loyaltyPoints,
    store_credit_balance: numberOf(member.storeCreditMinor, member.currency),
    currency: member.currency,
    birth_date: member.birthDate?.toString() ?? null,
    member_since: isoOf(member.memberSince),
    next_billing_date: isoOrNull(member.nextBillingAt),
    created_at: isoOf(member.createdAt),
    updated_at: isoOf(member.updatedAt)
  }
}
