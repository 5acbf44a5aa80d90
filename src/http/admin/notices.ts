import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { listNotices, theStore } from '#stores'
import { OrNull } from '../shared/answer-fields.ts'
import type { HttpDeps } from '../shared/deps.ts'
import type { Surface } from '../shared/surface.ts'
import { PageLimit, StoreParams, text } from './fields.ts'

const NoticeBody = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  subject: Type.String(),
  message: Type.String(),
  created_at: Type.String()
})

/** What the people who run a store should hear of, ready to be mailed. */
export function registerNotices(admin: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  admin.get(
    '/stores/:store/notices',
    {
      schema: {
        params: StoreParams,
        querystring: Type.Object({
          before: Type.Optional(text(30, 'the id of the notice that the page before ended with')),
          limit: PageLimit
        }),
        response: { 200: Type.Object({ data: Type.Array(NoticeBody), next: OrNull(Type.String()) }) }
      }
    },
    async ({ params, query }) => {
      const { storeId } = await theStore(db, params.store)
      const { notices, more } = await db.inStore(storeId, (ctx) => listNotices(ctx, query))
      const data = notices.map(({ id, kind, subject, message, createdAt }) => ({
        id: publicId('notice', id),
        kind,
        subject,
        message,
        created_at: isoOf(createdAt)
      }))
      return { data, next: more ? data.at(-1)!.id : null }
    }
  )
}
