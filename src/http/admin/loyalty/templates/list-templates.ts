import { listTemplates } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { List } from '../../fields.ts'
import { StoreParams } from '../../store.ts'
import { presentTemplate, TemplateBody } from './present-template.ts'

/** GET /stores/{store}/loyalty/templates */
export function listTemplatesRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/templates',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listLoyaltyTemplates',
        summary: 'List coupon templates',
        description: 'All of the store, in the order in which they were created: at most 200.',
        params: StoreParams,
        response: { 200: List(TemplateBody, 'The templates') }
      }
    },
    (request) => request.inStore(async (ctx) => ({ data: (await listTemplates(ctx)).map(presentTemplate) }))
  )
}
