import { Type } from 'typebox'
import { getRuleWithProgress } from '#loyalty'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { shopOf } from '../shoppers.ts'
import { presentRule, RuleBody } from './present-rule.ts'
import { RuleParams, ruleIdOf } from './rule-params.ts'
import { viewerOf } from './viewer.ts'

/** GET /loyalty/rules/{rule_id} (spec 2, Loyalty API) */
export function getRuleRoute(storefront: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  storefront.get(
    '/loyalty/rules/:rule_id',
    {
      config: { allow: 'visitor' },
      schema: {
        operationId: 'getRule',
        summary: 'Read a loyalty rule',
        description: 'With the progress of the customer who is logged in. 404 for one that is archived.',
        params: RuleParams,
        response: { 200: Type.Object({ data: RuleBody }, { description: 'The rule.' }) }
      }
    },
    async (request) => {
      const id = ruleIdOf(request.params)
      const { storeId } = shopOf(request)
      const found = await db.inStore(storeId, async (ctx) => getRuleWithProgress(ctx, id, await viewerOf(ctx, request)))
      return { data: presentRule(found) }
    }
  )
}
