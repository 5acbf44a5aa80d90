import { Type } from 'typebox'
import { listRequests } from '#privacy'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { Page, PageLimit, text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { PrivacyRequestBody, presentRequest } from './present-request.ts'

const DEFAULT_LIMIT = 50

/** GET /stores/{store}/privacy */
export function listPrivacyRequestsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/privacy',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listPrivacyRequests',
        summary: 'List privacy requests',
        description: 'What the platform and operators asked to be done with personal data, newest first.',
        params: StoreParams,
        querystring: Type.Object({
          before: Type.Optional(
            text(30, 'the id of the last request of the page before', {
              meaning: 'The list goes on after it',
              examples: ['priv_3']
            })
          ),
          limit: PageLimit
        }),
        response: { 200: Page(PrivacyRequestBody, 'The requests') }
      }
    },
    async (request) => {
      const { before, limit = DEFAULT_LIMIT } = request.query
      const from = before === undefined ? null : idInPath('priv', before)
      const found = await request.inStore((ctx) => listRequests(ctx, { before: from, limit: limit + 1 }))
      const data = found.slice(0, limit).map(presentRequest)
      return { data, next: found.length > limit ? data.at(-1)!.id : null }
    }
  )
}
