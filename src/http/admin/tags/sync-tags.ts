import { Type } from 'typebox'
import { syncedSince, syncTags } from '#mirror'
import { OrNull } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { requireConnected, workUntilSynced } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { OneOwner, tagOwnerOf } from './tag-owner-of.ts'

const count = (description: string) => OrNull(Type.Integer({ description: `${description}; null for a live store` }))

const SyncBody = Type.Object(
  {
    scope: Type.String({ description: '`store`, `customer` or `order`: whose tags are corrected' }),
    compared: OrNull(
      Type.Integer({
        description:
          'How many customers and orders were compared; null where that is not at its end, as for a live store'
      })
    ),
    added: count('How many tags were added on the platform'),
    removed: count('How many were removed there'),
    waiting: count('How many customers and orders of the store wait to be compared or written again'),
    problems: count('How many have a tag that cannot be written'),
    last_error: OrNull(Type.String({ description: 'Why the comparison is not at its end; null where it is' }))
  },
  {
    title: 'TagSync',
    description: 'Tags that are corrected now.',
    examples: [{ scope: 'store', compared: 57, added: 3, removed: 1, waiting: 0, problems: 0, last_error: null }]
  }
)

const IN_THE_BACKGROUND = {
  compared: null,
  added: null,
  removed: null,
  waiting: null,
  problems: null,
  last_error: null
}

/** POST /stores/{store}/tags/sync */
export function syncTagsRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/tags/sync',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'syncTags',
        summary: 'Correct tags now',
        description:
          'Has the tags of one customer or order, or of all in the store, compared with the platform and corrected, without waiting for the schedule. For a sandbox store the response comes when that is done, and says what was done; for a live store it happens in the background.',
        params: StoreParams,
        body: Type.Object(OneOwner, { examples: [{ customer: 'cust_24' }] }),
        response: { 202: SyncBody }
      }
    },
    async (request, reply) => {
      const store = storeOf(request)
      requireConnected(store)
      const owner = await tagOwnerOf(request, request.body)
      const before = await request.inStore((ctx) => syncTags(ctx, owner))
      const done = await workUntilSynced(deps, store, async () => {
        const { lastError, ...synced } = await request.inStore((ctx) => syncedSince(ctx, before, owner))
        return { ...synced, last_error: lastError }
      })
      return reply.code(202).send({ scope: owner?.kind ?? 'store', ...(done ?? IN_THE_BACKGROUND) })
    }
  )
}
