import { publicId } from '#kit/ids'
import { defineFact } from '#kit/outbox'
import { customerKey } from '#members'

/** Credit was reserved, or a reservation has ended without an entry: another amount is available. */
export const reservationChanged = defineFact(
  'store_credit.reservation_changed',
  ({ memberId }: { memberId: number }) => ({
    orderingKey: customerKey(memberId),
    data: { customer_id: publicId('cust', memberId) },
    refs: { memberId }
  })
)
