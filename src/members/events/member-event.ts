import { Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { MemberBody } from '#resources'
import type { StoreContext } from '#stores'
import { customerKey, customerPayload } from '../customer.ts'
import type { MemberSnapshot } from '../queries.ts'

export const member_id = Type.String({ description: 'The member id, `mem_24`' })

/** The Member resource as events carry it (spec 1, Member). */
export const memberFields = { member_id, ...MemberBody.properties }

/** These fields of a member. */
export function memberPayload(member: MemberSnapshot, store: StoreContext) {
  const id = publicId('mem', member.id)
  return {
    member_id: id,
    id,
    customer: customerPayload({ ...member, memberId: member.id }, store.profile),
    status: member.status,
    plan_id: member.planId === null ? null : publicId('plan', member.planId),
    plan_name: member.planName,
    tier: member.tier,
    loyalty_tier: member.loyaltyTier,
    loyalty_points: member.loyaltyPoints,
    store_credit_balance: numberOf(member.storeCreditMinor, store.currency),
    currency: store.currency,
    birth_date: member.birthDate?.toString() ?? null,
    member_since: isoOf(member.memberSince),
    next_billing_date: isoOrNull(member.nextBillingAt),
    created_at: isoOf(member.createdAt),
    updated_at: isoOf(member.updatedAt)
  }
}

/** What a fact of a member is about. */
export const about = ({ id }: { id: number }) => ({ orderingKey: customerKey(id), refs: { memberId: id } })
