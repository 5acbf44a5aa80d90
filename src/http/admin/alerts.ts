import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { listAlerts, requireStore } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import { OrNull } from '../shared/response-fields.ts'
import type { Surface } from '../shared/surface.ts'
import { PageLimit, StoreParams, text } from './fields.ts'

const AlertBody = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  subject: Type.String(),
  message: Type.String(),
  created_at: Type.String()
})

/** What the people who run a store should hear of, ready to be mailed. */
export function registerAlerts(admin: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  admin.get(
    '/stores/:store/alerts',
    {
      schema: {
        params: StoreParams,
        querystring: Type.Object({
          before: Type.Optional(text(30, 'the id of the alert that the page before ended with')),
          limit: PageLimit
        }),
        response: { 200: Type.Object({ data: Type.Array(AlertBody), next: OrNull(Type.String()) }) }
      }
    },
    async ({ params, query }) => {
      const { storeId } = await requireStore(db, params.store)
      const { alerts, more } = await db.inStore(storeId, (ctx) => listAlerts(ctx, query))
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
