import { Type } from 'typebox'
import { publicId } from '#kit/ids'
import { reconnectStore, requireStore } from '#stores'
import { reconcileNow } from '#sync'
import type { HttpDeps } from '../shared/deps.ts'
import type { Surface } from '../shared/surface.ts'
import { StoreParams, text } from './fields.ts'

/** Connecting a store again whose platform had taken the app off, or giving one another token. */
export function registerConnectStore(
  admin: Surface,
  { db, vault, sandbox, connectStore, settle, wake }: HttpDeps
): void {
  admin.post(
    '/stores/:store/connect',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          platform_url: Type.Optional(text(2000, "the address of the store's platform")),
          access_token: Type.Optional(text(500, 'the access token of the Admin API')),
          app_secret: Type.Optional(text(500, "the app's secret")),
          proxy_secret: Type.Optional(text(500, 'the secret of the app proxy'))
        }),
        response: { 200: Type.Object({ id: Type.String(), domain: Type.String(), status: Type.String() }) }
      }
    },
    async (request) => {
      const { platform_url, access_token, app_secret, proxy_secret } = request.body
      const store = await requireStore(db, request.params.store)
      const { storeId } = store
      const given = {
        platformUrl: platform_url,
        accessToken: access_token,
        appSecret: app_secret,
        proxySecret: proxy_secret
      }
      await reconnectStore(db, vault, store, given, async (access) => {
        if (store.sandbox) await sandbox.install(storeId, access.accessToken)
        await connectStore(access)
      })
      // Whatever was missed meanwhile: our webhooks, the shop, every contract and charge.
      await db.inStore(storeId, reconcileNow)
      if (store.sandbox) await settle(storeId)
      else wake(storeId)
      return { id: publicId('store', storeId), domain: store.domain, status: 'active' }
    }
  )
}
