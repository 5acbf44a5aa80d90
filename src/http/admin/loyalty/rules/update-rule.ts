import { Type } from 'typebox'
import { loyaltyRuleNotFound, updateRule } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { anyOf } from '../../fields.ts'
import { numberInPath } from '../../numbered.ts'
import { presentRule, RuleBody, RuleParams, ruleChange, ruleFields } from './present-rule.ts'

/** PATCH /stores/{store}/loyalty/rules/{rule} */
export function updateRuleRoute(admin: Surface): void {
  admin.patch(
    '/stores/:store/loyalty/rules/:rule',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'updateLoyaltyRule',
        summary: 'Change a loyalty rule',
        description:
          'What is left out stays; `rules` and `reward_rules` are replaced as a whole. `enabled` false ends it, and it can be enabled again. What was earned by it stays.',
        params: RuleParams,
        body: Type.Object({
          type: Type.Optional(
            Type.Never({ description: 'left out: a rule keeps its type; create another one and archive this' })
          ),
          ...anyOf(ruleFields).properties
        }),
        response: { 200: RuleBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.rule, loyaltyRuleNotFound)
      const { type: _, ...given } = request.body
      return presentRule(await request.inStore((ctx) => updateRule(ctx, id, ruleChange(given))))
    }
  )
}
