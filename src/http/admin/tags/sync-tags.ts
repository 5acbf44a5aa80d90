import { Type } from 'typebox'
import { syncTags } from '#mirror'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { OneOwner, tagOwnerOf } from './tag-owner-of.ts'

const SyncBody = Type.Object(
  { scope: Type.String({ description: '`store`, `customer` or `order`: whose tags are corrected' }) },
  { title: 'TagSync', description: 'Tags that are corrected now.', examples: [{ scope: 'store' }] }
)

/** POST /stores/{store}/tags/sync */
export function syncTagsRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/tags/sync',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'syncTags',
        summary: 'Put tags right now',
        description:
          'Has the tags of one customer or order, or of all in the store, compared with the platform and corrected, without waiting for the schedule. For a sandbox store the response comes when that is done; for a live store it happens in the background.',
        params: StoreParams,
        body: Type.Object(OneOwner, { examples: [{ customer: 'cust_24' }] }),
        response: { 202: SyncBody }
      }
    },
    async (request, reply) => {
      const owner = await tagOwnerOf(request, request.body)
      await request.inStore((ctx) => syncTags(ctx, owner))
      await startDueWork(deps, storeOf(request))
      return reply.code(202).send({ scope: owner?.kind ?? 'store' })
    }
  )
}
