import { Type } from 'typebox'
import { createRule } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { StoreParams } from '../../store.ts'
import { presentRule, RuleBody, ruleChange, ruleFields, ruleType } from './present-rule.ts'

/** POST /stores/{store}/loyalty/rules */
export function createRuleRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/loyalty/rules',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'createLoyaltyRule',
        summary: 'Create a loyalty rule',
        description:
          'What its `rules` and `reward_rules` accept depends on its type; all that is wrong is refused at once, each by its path. A store has at most 200 that are not archived. Amounts are in the currency of the shop, as numbers or decimal texts.',
        params: StoreParams,
        body: Type.Object({ type: ruleType(), ...ruleFields, rules: Type.Optional(ruleFields.rules) }),
        response: { 200: RuleBody }
      }
    },
    async (request) => {
      const { type, name, reward_rules, ...given } = request.body
      const input = {
        description: '',
        rules: {},
        isEnabled: true,
        startsOn: null,
        endsOn: null,
        ...ruleChange(given),
        name,
        rewardRules: reward_rules
      }
      return presentRule(await request.inStore((ctx) => createRule(ctx, type, input)))
    }
  )
}
