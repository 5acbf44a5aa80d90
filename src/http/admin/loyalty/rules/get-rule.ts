import { getRule, loyaltyRuleNotFound } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { numberInPath } from '../../numbered.ts'
import { presentRule, RuleBody, RuleParams } from './present-rule.ts'

/** GET /stores/{store}/loyalty/rules/{rule} */
export function getRuleRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/rules/:rule',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getLoyaltyRule',
        summary: 'Read a loyalty rule',
        description: 'One that is not archived.',
        params: RuleParams,
        response: { 200: RuleBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.rule, loyaltyRuleNotFound)
      return presentRule(await request.inStore((ctx) => getRule(ctx, id)))
    }
  )
}
