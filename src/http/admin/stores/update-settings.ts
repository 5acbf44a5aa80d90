import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams } from '../store.ts'
import { changeSettings, presentSettings, settingsBody, settingsPatch } from './settings-body.ts'

/** PATCH /stores/{store}/settings */
export function updateSettingsRoute(admin: Surface, { settings }: AdminDeps): void {
  admin.patch(
    '/stores/:store/settings',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'updateSettings',
        summary: 'Change the settings of a store',
        description:
          'Changes the settings that are given; the others stay. Returns all settings. An empty body changes nothing.',
        params: StoreParams,
        body: settingsPatch(settings),
        response: { 200: settingsBody(settings) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        await changeSettings(ctx, settings, request.body as Record<string, unknown>)
        return presentSettings(ctx, settings)
      })
  )
}
