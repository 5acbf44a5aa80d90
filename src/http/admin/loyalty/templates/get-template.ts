import { getTemplate, loyaltyTemplateNotFound } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { numberInPath } from '../../numbered.ts'
import { presentTemplate, TemplateBody, TemplateParams } from './present-template.ts'

/** GET /stores/{store}/loyalty/templates/{template} */
export function getTemplateRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/templates/:template',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getLoyaltyTemplate',
        summary: 'Read a coupon template',
        description: 'What it takes off, and how many points it costs.',
        params: TemplateParams,
        response: { 200: TemplateBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.template, loyaltyTemplateNotFound)
      return presentTemplate(await request.inStore((ctx) => getTemplate(ctx, id)))
    }
  )
}
