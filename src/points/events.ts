import { publicId } from '#kit/ids'
import type { DomainEvent } from '#kit/outbox'
import type { PointsEntry } from './points.ts'

/** Each entry of the ledger is told by one of these (spec 1, member.points_changed). */
export const pointsChanged = (entry: PointsEntry, email: string | null) =>
  ({
    type: 'member.points_changed',
    objectKey: `member:${entry.memberId}`,
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
  }) satisfies DomainEvent
