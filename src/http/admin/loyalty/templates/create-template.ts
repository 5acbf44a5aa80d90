import { Type } from 'typebox'
import { createTemplate } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { StoreParams } from '../../store.ts'
import { presentTemplate, TemplateBody, templateChange, templateFields } from './present-template.ts'

/** POST /stores/{store}/loyalty/templates */
export function createTemplateRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/loyalty/templates',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'createLoyaltyTemplate',
        summary: 'Create a coupon template',
        description: 'A coupon that points can buy. What is wrong is refused by its path. A store has at most 200.',
        params: StoreParams,
        body: Type.Object(templateFields),
        response: { 200: TemplateBody }
      }
    },
    async (request) => {
      const { name, type, rules, required_points, ...given } = request.body
      const input = {
        codePrefix: '',
        isEnabled: true,
        startsAt: null,
        endsAt: null,
        ...templateChange(given),
        name,
        type,
        rules,
        requiredPoints: required_points
      }
      return presentTemplate(await request.inStore((ctx) => createTemplate(ctx, input)))
    }
  )
}
