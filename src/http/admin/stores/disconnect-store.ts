import { Type } from 'typebox'
import { publicId } from '#kit/ids'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'

const DisconnectedStore = Type.Object(
  {
    id: Type.String({ description: 'The store id' }),
    domain: Type.String({ description: "The shop's domain on its platform" }),
    status: Type.String({ description: 'Always `disconnected`' }),
    webhooks_removed: Type.Boolean({
      description: "Whether the service's webhooks on the platform are removed; false when the platform did not do it"
    })
  },
  {
    title: 'DisconnectedStore',
    description: 'A store that is disconnected from its platform.',
    examples: [{ id: 'store_2', domain: 'books.example', status: 'disconnected', webhooks_removed: true }]
  }
)

/** POST /stores/{store}/disconnect */
export function disconnectStoreRoute(admin: Surface, { leavePlatform }: AdminDeps): void {
  admin.post(
    '/stores/:store/disconnect',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'disconnectStore',
        summary: 'Disconnect a store',
        description:
          "Ends all work with the store's platform: nothing is billed, read or written there, the access token is erased, and the service's webhooks there are removed. All data stays; API keys are refused until the store is connected again (`/connect`). A charge that the platform has received already may still be made; its result is read after the store is connected again. Safe to repeat.",
        params: StoreParams,
        response: { 200: DisconnectedStore }
      }
    },
    async (request) => {
      const { storeId, domain } = storeOf(request)
      const { webhooksRemoved } = await leavePlatform(storeId)
      return { id: publicId('store', storeId), domain, status: 'disconnected', webhooks_removed: webhooksRemoved }
    }
  )
}
