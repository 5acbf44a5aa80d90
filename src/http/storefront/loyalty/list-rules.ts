import { Type } from 'typebox'
import { listRulesWithProgress, RULE_TYPE_NAMES, RuleCache } from '#loyalty'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { shopOf } from '../shoppers.ts'
import { filterParameters, readFilters } from './list-filters.ts'
import { presentRule, RuleBody, statusOf } from './present-rule.ts'
import { viewerOf } from './viewer.ts'

/** GET /loyalty/rules (spec 2, Loyalty API). Other parameters are ignored: the proxy adds its own. */
export function listRulesRoute(storefront: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  const cache = new RuleCache()
  storefront.get(
    '/loyalty/rules',
    {
      config: { allow: 'visitor' },
      // `readFilters` checks them.
      validatorCompiler: () => (value) => ({ value }),
      schema: {
        operationId: 'listRules',
        summary: 'List loyalty rules',
        description:
          'In the order in which they were created, with the progress of the customer who is logged in. Without a filter all that are not archived: at most 200.',
        querystring: filterParameters('rules', RULE_TYPE_NAMES),
        response: {
          200: Type.Object({ data: Type.Array(RuleBody, { description: 'The rules' }) }, { description: 'The rules.' })
        }
      }
    },
    async (request) => {
      const { type, status } = readFilters(request.query, RULE_TYPE_NAMES)
      const { storeId } = shopOf(request)
      const all = await db.inStore(storeId, async (ctx) =>
        listRulesWithProgress(ctx, cache, await viewerOf(ctx, request))
      )
      const data = all
        .filter(({ rule }) => type === null || rule.type.name === type)
        .filter(({ rule }) => status === null || statusOf(rule) === status)
        .map(presentRule)
      return { data }
    }
  )
}
