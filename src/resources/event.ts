import { Type } from 'typebox'
import { Timestamp } from './fields.ts'

/** An event as it is kept. Its `data` is that of its deliveries; each type has its schema in the module that records it. */
export const EventBody = Type.Object(
  {
    id: Type.String({ description: 'The event id, `evt_812`' }),
    sequence: Type.Integer({
      description: 'Rises over all events of the store, with gaps; the `X-Svc-Sequence` of its deliveries'
    }),
    event: Type.String({ description: 'The event type' }),
    timestamp: Timestamp("When it occurred, in the store's time"),
    data: Type.Object(
      {},
      { additionalProperties: true, description: 'The payload, the same as in its deliveries: see the webhooks' }
    )
  },
  {
    title: 'Event',
    description: 'Something that happened, as its deliveries report it.',
    examples: [
      {
        id: 'evt_812',
        sequence: 815,
        event: 'store_credit.added',
        timestamp: '2026-11-20T09:00:00.000Z',
        data: {
          transaction_id: 'sct_8',
          customer: { id: 'cust_24', email: 'hanna.ito@example.com' },
          amount: 5,
          currency: 'USD',
          previous_balance: 25,
          new_balance: 30,
          reason: 'Sorry for the late parcel',
          order_id: null
        }
      }
    ]
  }
)
