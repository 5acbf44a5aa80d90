import { Type } from 'typebox'
import { publicId } from '#kit/ids'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'

const DeletedStore = Type.Object(
  {
    id: Type.String({ description: 'The store id' }),
    domain: Type.String({ description: "The shop's domain on its platform" }),
    deleted: Type.Boolean({ description: 'False when it takes longer: it goes on in the background' })
  },
  {
    title: 'DeletedStore',
    description: 'A store that is deleted, or is being deleted.',
    examples: [{ id: 'store_2', domain: 'books.example', deleted: true }]
  }
)

/** POST /stores/{store}/delete */
export function deleteStoreRoute(admin: Surface, { deleteStore }: AdminDeps): void {
  admin.post(
    '/stores/:store/delete',
    {
      config: { allow: 'install', ofDeleting: true },
      schema: {
        operationId: 'deleteStore',
        summary: 'Delete a store',
        description:
          'Deletes the store with everything that belongs to it: members, subscriptions, attempts, credit, points, events, webhooks, keys, settings, and its shop on the sandbox. It cannot be undone. From the first moment on nothing is billed and every request for the store is refused. Contracts on a live platform stay there, and nobody bills them any more. A large store takes longer than the response, which then says 202: its `status` in lists is `deleting` until it is gone, also after a restart. Safe to repeat.',
        params: StoreParams,
        body: Type.Object(
          { name: text(200, 'the name of the store', { meaning: 'Confirms the deletion', examples: ['Books'] }) },
          { examples: [{ name: 'Books' }] }
        ),
        response: { 200: DeletedStore, 202: DeletedStore }
      }
    },
    async (request, reply) => {
      const store = storeOf(request)
      const { deleted } = await deleteStore(store, request.body.name)
      return reply
        .code(deleted ? 200 : 202)
        .send({ id: publicId('store', store.storeId), domain: store.domain, deleted })
    }
  )
}
