import { type Static, Type } from 'typebox'
import type { Database } from '#kit/postgres'
import { OrNull } from '#resources'
import type { Store } from '#stores'
import type { Activity } from '#subscriptions'
import { ActivityBody, presentActivity } from '../../shared/activity.ts'
import { ACTOR_NAME, actorNames } from '../actor-names.ts'

const EXAMPLE = {
  id: 'act_120',
  kind: 'price_changed',
  text: 'Price changed from 24 to 29 USD',
  notes: null,
  actor: 'operator',
  actor_id: '34a7cd32-4414-4555-b1f7-f7fa244b78b5',
  actor_name: 'Ada Lovelace',
  plan_name: 'VIP',
  plan_group_name: 'VIP',
  details: { from: 24, to: 29, currency: 'USD' },
  created_at: '2026-11-15T06:25:00.000Z'
}

/** An entry of a history as the operator reads it: with the names of those who did it. */
export const NamedActivityBody = Type.Object(
  {
    ...ActivityBody.properties,
    actor_id: OrNull(
      Type.String({ description: 'Which one: the id of the person or the API key; null for the operator token' })
    ),
    actor_name: OrNull(Type.String({ description: ACTOR_NAME }))
  },
  {
    additionalProperties: false,
    title: 'Activity',
    description: 'An entry in the history of a subscription. Entries never change.',
    examples: [EXAMPLE]
  }
)

export async function presentActivities(
  db: Database,
  store: Store,
  activities: Activity[]
): Promise<Static<typeof NamedActivityBody>[]> {
  const nameOf = await actorNames(db, store, activities)
  return activities.map((one) => ({ ...presentActivity(one), actor_name: nameOf(one) }))
}
