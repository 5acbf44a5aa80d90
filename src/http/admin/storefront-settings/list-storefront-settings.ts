import { Type } from 'typebox'
import { listStorefrontSettings } from '#storefront-settings'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams } from '../store.ts'
import { presentStorefrontSetting, StorefrontSettingBody } from './setting-body.ts'

/** GET /stores/{store}/storefront-settings */
export function listStorefrontSettingsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/storefront-settings',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listStorefrontSettings',
        summary: 'List the settings of the storefront',
        description: 'Lists every setting of the storefront with its value.',
        params: StoreParams,
        response: { 200: Type.Object({ data: Type.Array(StorefrontSettingBody) }) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const settings = await listStorefrontSettings(ctx)
        return { data: settings.map(({ setting, value }) => presentStorefrontSetting(setting, JSON.parse(value))) }
      })
  )
}
