import { Type } from 'typebox'
import { listAlerts } from '#stores'
import type { Surface } from '../../shared/surface.ts'
import { Page, PageLimit, text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { AlertBody, presentAlert } from './present-alert.ts'

/** GET /stores/{store}/alerts */
export function listAlertsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/alerts',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listAlerts',
        summary: 'List alerts',
        description: 'What the people who run the store need to know, newest first.',
        params: StoreParams,
        querystring: Type.Object({
          before: Type.Optional(text(30, 'the id of the last alert of the page before', { examples: ['alert_7'] })),
          limit: PageLimit
        }),
        response: { 200: Page(AlertBody, 'The alerts') }
      }
    },
    async (request) => {
      const { alerts, more } = await request.inStore((ctx) => listAlerts(ctx, request.query))
      const data = alerts.map(presentAlert)
      return { data, next: more ? data.at(-1)!.id : null }
    }
  )
}
