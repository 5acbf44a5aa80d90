import { definePublicFact } from '#kit/outbox'
import { defineEvent, MemberBody } from '#resources'
import type { StoreContext } from '#stores'
import type { MemberSnapshot } from '../queries.ts'
import { about, memberFields, memberPayload } from './member-event.ts'

const BEGAN = '2026-09-15T05:25:00.000Z'

export const memberCreated = definePublicFact(
  'member.created',
  defineEvent({
    summary: 'A customer became a member',
    fields: memberFields,
    like: MemberBody,
    shown: {
      shownAt: BEGAN,
      member_id: 'mem_24',
      loyalty_tier: null,
      loyalty_points: 0,
      store_credit_balance: 0,
      next_billing_date: '2026-10-15T05:25:00.000Z',
      updated_at: BEGAN
    }
  }),
  (member: MemberSnapshot, store: StoreContext) => ({ ...about(member), data: memberPayload(member, store) })
)
