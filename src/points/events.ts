import { publicId } from '#kit/ids'
import { defineFact } from '#kit/outbox'
import type { EventData } from '#resources'
import type { PointsEntry } from './points.ts'

/** The fact of an entry: each entry of the ledger has exactly one (spec 1, member.points_changed). */
export const pointsChanged = defineFact('member.points_changed', (entry: PointsEntry, email: string | null) => ({
  orderingKey: `member:${entry.memberId}`,
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
  } satisfies EventData<'member.points_changed'>,
  refs: { memberId: entry.memberId, pointsEntryId: entry.id }
}))

export type PointsFact = ReturnType<typeof pointsChanged>
