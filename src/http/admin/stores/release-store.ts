import { Type } from 'typebox'
import { publicId } from '#kit/ids'
import { releaseStore } from '#sync'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'

const ReleasedStore = Type.Object(
  {
    id: Type.String({ description: 'The store id' }),
    domain: Type.String({ description: "The shop's domain on its platform" }),
    released: Type.Boolean({ description: 'Whether it was on hold; false when there was nothing to end' })
  },
  {
    title: 'ReleasedStore',
    description: 'A store that is not on hold any more.',
    examples: [{ id: 'store_2', domain: 'books.example', released: true }]
  }
)

/** POST /stores/{store}/release */
export function releaseStoreRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/release',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'releaseStore',
        summary: 'End the hold of a restored store',
        description:
          'A store that was restored from a backup is on hold until its platform was read, and then continues by itself. This ends the hold without that, for a platform that can no longer be reached. What was charged there after the backup may be charged again.',
        params: StoreParams,
        response: { 200: ReleasedStore }
      }
    },
    async (request) => {
      const store = storeOf(request)
      const released = await releaseStore(deps.db, store)
      await startDueWork(deps, store)
      return { id: publicId('store', store.storeId), domain: store.domain, released }
    }
  )
}
