import { Type } from 'typebox'
import { OrNull } from './fields.ts'

export const LoyaltyEventBody = Type.Object(
  {
    customer_id: Type.String({ description: 'The customer id, `cust_24`' }),
    type: Type.String({ description: 'What was reported: `custom_action` or `review`' }),
    event_id: OrNull(Type.String({ description: 'The `event_id` of the request' })),
    points: Type.Integer({ description: 'The points that it has earned and that stand, by all of its rules together' }),
    loyalty_points: Type.Integer({ description: 'What the customer can spend now' }),
    rules: Type.Array(
      Type.Object({
        id: Type.Integer({ description: 'The id of the loyalty rule' }),
        name: Type.String({ description: 'Its name' }),
        reward_type: Type.String({ description: 'What it gives, such as `points` or `discount`' }),
        points: OrNull(Type.Integer({ description: 'How many points; null where it gives something else' }))
      }),
      { description: 'The rules by which it has earned a reward that stands; empty where it has earned nothing' }
    )
  },
  {
    additionalProperties: false,
    title: 'LoyaltyEventResult',
    description: 'An event of a customer that was reported, and what it has earned.',
    examples: [
      {
        customer_id: 'cust_24',
        type: 'custom_action',
        event_id: 'quiz-815',
        points: 25,
        loyalty_points: 405,
        rules: [{ id: 12, name: 'Finish the quiz', reward_type: 'points', points: 25 }]
      }
    ]
  }
)
