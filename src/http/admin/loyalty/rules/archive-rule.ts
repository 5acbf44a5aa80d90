import { archiveRule, loyaltyRuleNotFound } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { numberInPath } from '../../numbered.ts'
import { presentRule, RuleBody, RuleParams } from './present-rule.ts'

/** DELETE /stores/{store}/loyalty/rules/{rule} */
export function archiveRuleRoute(admin: Surface): void {
  admin.delete(
    '/stores/:store/loyalty/rules/:rule',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'archiveLoyaltyRule',
        summary: 'Archive a loyalty rule',
        description:
          'It rewards nothing any more, is not listed and does not count for the limit. It cannot be brought back. What was earned by it stays. Returns it as it was.',
        params: RuleParams,
        response: { 200: RuleBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.rule, loyaltyRuleNotFound)
      return presentRule(await request.inStore((ctx) => archiveRule(ctx, id)))
    }
  )
}
