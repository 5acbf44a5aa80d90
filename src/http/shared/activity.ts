import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { ACTIVITY_KINDS, ACTORS, type Activity } from '#subscriptions'
import { OrNull, Timestamp } from './response-fields.ts'

/** An entry of a subscription's history, as programs of a store and the operator read it. */
export const ActivityBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the entry, `act_120`' }),
    kind: Type.String({ description: `What happened: one of ${ACTIVITY_KINDS.join(', ')}; there may be more` }),
    text: Type.String({ description: 'What happened, in a sentence' }),
    notes: OrNull(Type.String({ description: 'A note by a person' })),
    actor: Type.String({ description: `Who did it: ${ACTORS.join(', ')}` }),
    actor_id: OrNull(Type.String({ description: 'Which one: the id of the API key' })),
    plan_name: Type.String({ description: 'The name of the plan at that time' }),
    plan_group_name: OrNull(
      Type.String({ description: 'The tier of that plan; null for a plan that the service did not create' })
    ),
    details: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Details, such as `from` and `to` of a change, or ids',
        examples: [{ from: 24, to: 29, currency: 'USD' }]
      }
    ),
    created_at: Timestamp('When it happened')
  },
  {
    additionalProperties: false,
    title: 'Activity',
    description: 'An entry in the history of a subscription. Entries never change.',
    examples: [
      {
        id: 'act_120',
        kind: 'price_changed',
        text: 'Price changed from 24 to 29 USD',
        notes: null,
        actor: 'api',
        actor_id: 'key_3',
        plan_name: 'VIP',
        plan_group_name: 'VIP',
        details: { from: 24, to: 29, currency: 'USD' },
        created_at: '2026-11-15T06:25:00.000Z'
      }
    ]
  }
)

export function presentActivity(activity: Activity): Static<typeof ActivityBody> {
  const { id, kind, text, notes, actor, actorId, planName, planGroupName, refs, occurredAt } = activity
  return {
    id: publicId('act', id),
    kind,
    text,
    notes,
    actor,
    actor_id: actorId,
    plan_name: planName,
    plan_group_name: planGroupName,
    details: refs,
    created_at: isoOf(occurredAt)
  }
}
