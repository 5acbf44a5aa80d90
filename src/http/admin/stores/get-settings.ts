import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams } from '../store.ts'
import { presentSettings, settingsBody } from './settings-body.ts'

/** GET /stores/{store}/settings */
export function getSettingsRoute(admin: Surface, { settings }: AdminDeps): void {
  admin.get(
    '/stores/:store/settings',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getSettings',
        summary: 'Read the settings of a store',
        description: 'Every setting, with the defaults of those that were never set.',
        params: StoreParams,
        response: { 200: settingsBody(settings) }
      }
    },
    (request) => request.inStore((ctx) => presentSettings(ctx, settings))
  )
}
