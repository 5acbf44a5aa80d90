import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { defineFact } from '#kit/outbox'
import type { EventData } from '#resources'
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
    plan_id: member.planId === null ? null : publicId('plan', member.planId),
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

const about = ({ id }: { id: number }) => ({ orderingKey: `member:${id}` as const, refs: { memberId: id } })

export const memberCreated = defineFact('member.created', (member: MemberSnapshot, store: StoreContext) => ({
  ...about(member),
  data: memberPayload(member, store) satisfies EventData<'member.created'>
}))

/** Null is no tier: before the first plan, and after the last membership. */
export const tierChanged = defineFact(
  'member.tier_changed',
  (member: { id: number; email: string | null }, tier: { previous: string | null; new: string | null }) => ({
    ...about(member),
    data: {
      member_id: publicId('mem', member.id),
      customer: { id: publicId('cust', member.id), email: member.email },
      tier
    } satisfies EventData<'member.tier_changed'>
  })
)

/** `changes` has each changed field as {from, to}. */
export const memberUpdated = defineFact(
  'member.updated',
  (member: MemberSnapshot, changes: EventData<'member.updated'>['changes'], store: StoreContext) => ({
    ...about(member),
    data: { ...memberPayload(member, store), changes } satisfies EventData<'member.updated'>
  })
)

export type MemberFact = ReturnType<typeof memberCreated | typeof tierChanged | typeof memberUpdated>
