import { Type } from 'typebox'
import { publicId } from '#kit/ids'
import { definePublicFact } from '#kit/outbox'
import { customerKey } from '#members'
import { defineEvent, exampleOf, OrNull, PersonBody } from '#resources'
import type { PointsEntry } from '../points.ts'

const points = Type.Object(
  {
    previous_balance: Type.Integer({ description: 'Before the change' }),
    new_balance: Type.Integer({ description: 'After the change' }),
    change: Type.Integer({ description: 'The difference; negative when points were deducted' })
  },
  { description: 'The balance of loyalty points' }
)

/** The fact of an entry: each entry of the ledger has exactly one (spec 1, member.points_changed). */
export const pointsChanged = definePublicFact(
  'member.points_changed',
  defineEvent({
    summary: 'The balance of loyalty points changed',
    fields: {
      member_id: Type.String({ description: 'The member id, `mem_24`' }),
      customer: PersonBody,
      points,
      reason: Type.String({ description: 'The reason, as text' }),
      order_id: OrNull(Type.String({ description: 'The order that the points came from' }))
    },
    shown: {
      member_id: 'mem_24',
      customer: exampleOf(PersonBody),
      points: { previous_balance: 100, new_balance: 120, change: 20 },
      reason: 'Welcome gift',
      order_id: null
    }
  }),
  (entry: PointsEntry, email: string | null) => ({
    orderingKey: customerKey(entry.memberId),
    data: {
      member_id: publicId('mem', entry.memberId),
      customer: { id: publicId('cust', entry.memberId), email },
      points: {
        previous_balance: entry.balanceAfter - entry.points,
        new_balance: entry.balanceAfter,
        change: entry.points
      },
      reason: entry.reason,
      order_id: entry.orderId === null ? null : publicId('ord', entry.orderId)
    },
    refs: { memberId: entry.memberId, pointsEntryId: entry.id }
  })
)
