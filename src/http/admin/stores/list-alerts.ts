import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { Timestamp } from '#resources'
import { listAlerts } from '#stores'
import type { Surface } from '../../shared/surface.ts'
import { Page, PageLimit, text } from '../fields.ts'
import { StoreParams } from '../store.ts'

const AlertBody = Type.Object(
  {
    id: Type.String({ description: 'The alert id, `alert_1`' }),
    kind: Type.String({
      description: 'What it is about, to branch on: `webhook_endpoint_disabled`, `disconnected`, …'
    }),
    subject: Type.String({ description: 'The subject of a mail' }),
    message: Type.String({ description: 'Its text, in whole sentences' }),
    created_at: Timestamp("When it was raised, in the store's time")
  },
  {
    title: 'Alert',
    description: 'Something that the people who run a store need to know, ready to be mailed.',
    examples: [
      {
        id: 'alert_1',
        kind: 'webhook_endpoint_disabled',
        subject: 'Webhook endpoint we_2 has been disabled',
        message: 'The webhook endpoint we_2 (https://example.com/hooks) was disabled on …',
        created_at: '2027-09-05T12:12:00.000Z'
      }
    ]
  }
)

/** GET /stores/{store}/alerts */
export function listAlertsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/alerts',
    {
      config: { allow: 'operator' },
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
      const data = alerts.map(({ id, kind, subject, message, createdAt }) => ({
        id: publicId('alert', id),
        kind,
        subject,
        message,
        created_at: isoOf(createdAt)
      }))
      return { data, next: more ? data.at(-1)!.id : null }
    }
  )
}
