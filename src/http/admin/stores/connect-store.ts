import { Type } from 'typebox'
import { publicId } from '#kit/ids'
import { OrNull } from '#resources'
import { reconnectAndReconcile } from '#sync'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { connectionFields } from './connection-fields.ts'

const ConnectedStore = Type.Object(
  {
    id: Type.String({ description: 'The store id' }),
    domain: Type.String({ description: "The shop's domain on its platform" }),
    status: Type.String({ description: 'Always `active`' }),
    was_connected: Type.Boolean({ description: 'Whether it was connected before: then nothing was missed' }),
    platform_token: OrNull(
      Type.String({ description: "Of a sandbox store: the access token of the platform's API; shown only here" })
    )
  },
  {
    title: 'ConnectedStore',
    description: 'A store that is connected to its platform.',
    examples: [{ id: 'store_2', domain: 'books.example', status: 'active', was_connected: false, platform_token: null }]
  }
)

/** POST /stores/{store}/connect */
export function connectStoreRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/connect',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'connectStore',
        summary: 'Connect a store again',
        description:
          'For a store that is disconnected, or that gets another token. The new credentials are tried first; when the platform refuses them, nothing changes. A store that is not a sandbox needs its `access_token`; other fields that are left out stay. What changed on the platform meanwhile is read next; for a sandbox store before the response.',
        params: StoreParams,
        body: Type.Object(connectionFields(), { examples: [{ access_token: 'shpat_0123456789' }] }),
        response: { 200: ConnectedStore }
      }
    },
    async (request) => {
      const { platform_url, access_token, app_secret, proxy_secret } = request.body
      const store = storeOf(request)
      const given = {
        platformUrl: platform_url,
        accessToken: access_token,
        appSecret: app_secret,
        proxySecret: proxy_secret
      }
      const { accessToken } = await reconnectAndReconcile(deps, store, given, async (access) => {
        if (store.sandbox) await deps.sandbox.install(store.storeId, access.accessToken)
        await deps.connectStore(access)
      })
      await startDueWork(deps, store)
      const platformToken = store.sandbox ? accessToken : null
      return {
        id: publicId('store', store.storeId),
        domain: store.domain,
        status: 'active',
        was_connected: store.status === 'active' && store.connectedAt !== null,
        platform_token: platformToken
      }
    }
  )
}
