import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { DomainEvent } from '#kit/outbox'
import type { StoreContext } from '#stores'
import { customerPayload } from './customer.ts'
import type { MemberSnapshot } from './queries.ts'

/** The Member resource as events carry it (spec 1, Member). */
function memberPayload(member: MemberSnapshot, store: StoreContext) {
  const id = publicId('mem', member.id)
  return {
    member_id: id,
    id,
    customer: customerPayload({ ...member, memberId: member.id }, store.profile),
    status: member.status,
    plan_id: member.planId && publicId('plan', member.planId),
    plan_name: member.planName,
    tier: member.tier,
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

const about = ({ id }: { id: number }) => ({ objectKey: `member:${id}` as const, refs: { memberId: id } })

export const memberCreated = (member: MemberSnapshot, store: StoreContext) =>
  ({ type: 'member.created', ...about(member), data: memberPayload(member, store) }) satisfies DomainEvent

/** Null is no tier: before the first plan, and after the last membership. */
export const tierChanged = (
  member: { id: number; email: string | null },
  tier: { previous: string | null; new: string | null }
) =>
  ({
    type: 'member.tier_changed',
    ...about(member),
    data: {
      member_id: publicId('mem', member.id),
      customer: { id: publicId('cust', member.id), email: member.email },
      tier
    }
  }) satisfies DomainEvent

/** `changes` tells each changed field as {from, to}. */
export const memberUpdated = (member: MemberSnapshot, changes: Record<string, unknown>, store: StoreContext) =>
  ({
    type: 'member.updated',
    ...about(member),
    data: { ...memberPayload(member, store), changes }
  }) satisfies DomainEvent
