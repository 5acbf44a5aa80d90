import { defineFact } from '#kit/outbox'
import { customerKey } from '#members'

/** What kind of order it is, or the status of its automatic charge, is another than before. */
export const orderEffectsChanged = defineFact(
  'order.effects_changed',
  ({ id, memberId }: { id: number; memberId: number | null }) => ({
    orderingKey: memberId === null ? (`order:${id}` as const) : customerKey(memberId),
    refs: { orderId: id },
    data: {}
  })
)
