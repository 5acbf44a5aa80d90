import { loyaltyTemplateNotFound, updateTemplate } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { anyOf } from '../../fields.ts'
import { numberInPath } from '../../numbered.ts'
import { presentTemplate, TemplateBody, TemplateParams, templateChange, templateFields } from './present-template.ts'

/** PATCH /stores/{store}/loyalty/templates/{template} */
export function updateTemplateRoute(admin: Surface): void {
  admin.patch(
    '/stores/:store/loyalty/templates/:template',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'updateLoyaltyTemplate',
        summary: 'Change a coupon template',
        description:
          'What is left out stays; `rules` are replaced as a whole. With `enabled` false points do not buy it any more. Coupons that were bought stay as they are.',
        params: TemplateParams,
        body: anyOf(templateFields),
        response: { 200: TemplateBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.template, loyaltyTemplateNotFound)
      return presentTemplate(await request.inStore((ctx) => updateTemplate(ctx, id, templateChange(request.body))))
    }
  )
}
