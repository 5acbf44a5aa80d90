import { Type } from 'typebox'
import { noteSubscription } from '#lifecycle'
import { listActivity, MAX_NOTE_CHARACTERS } from '#subscriptions'
import type { Surface } from '../../shared/surface.ts'
import { actorOf } from '../caller.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { storeOf } from '../store.ts'
import { SubscriptionParams, subscriptionIdOf } from './one-subscription.ts'
import { NamedActivityBody, presentActivities } from './present-activity.ts'

/** POST /stores/{store}/subscriptions/{id}/notes */
export function addNoteRoute(admin: Surface, { db }: AdminDeps): void {
  admin.post(
    '/stores/:store/subscriptions/:id/notes',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'addNote',
        summary: 'Add a note to a subscription',
        description: 'Adds an entry to its history.',
        params: SubscriptionParams,
        body: Type.Object({
          note: text(MAX_NOTE_CHARACTERS, undefined, { examples: ['Called to ask for a later date.'] })
        }),
        response: { 201: NamedActivityBody }
      }
    },
    async (request, reply) => {
      const rows = await request.inStore(async (ctx) => {
        const id = subscriptionIdOf(request)
        await noteSubscription(ctx, id, request.body.note, actorOf(request))
        return (await listActivity(ctx, id, { limit: 1, offset: 0 })).rows
      })
      const [noted] = await presentActivities(db, storeOf(request), rows)
      return reply.code(201).send(noted!)
    }
  )
}
