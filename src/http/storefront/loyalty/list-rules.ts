import { Type } from 'typebox'
import { listRulesWithProgress, RULE_TYPE_NAMES, RuleCache, type RuleTypeName } from '#loyalty'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { declaredParameters } from '../declared-parameters.ts'
import { shopOf } from '../shoppers.ts'
import { presentRule, RuleBody, statusOf } from './present-rule.ts'
import { viewerOf } from './viewer.ts'

const Query = Type.Object({
  type: Type.Optional(
    Type.Unsafe<RuleTypeName>(
      Type.Union(
        RULE_TYPE_NAMES.map((name) => Type.Literal(name)),
        {
          description: `one of ${RULE_TYPE_NAMES.join(', ')}`,
          meaning: 'Only rules of this type',
          examples: ['goal_spend']
        }
      )
    )
  ),
  status: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1,
      description: '1 or 0',
      meaning: 'Only rules that are active (1), or that are not (0)',
      examples: [1]
    })
  )
})

/** GET /loyalty/rules (spec 2, Loyalty API). Other parameters are ignored: the proxy adds its own. */
export function listRulesRoute(storefront: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  const cache = new RuleCache()
  storefront.get(
    '/loyalty/rules',
    {
      config: { allow: 'visitor' },
      validatorCompiler: declaredParameters,
      schema: {
        operationId: 'listRules',
        summary: 'List loyalty rules',
        description:
          'In the order in which they were created, with the progress of the customer who is logged in. Without a filter all that are not archived: at most 200.',
        querystring: Query,
        response: {
          200: Type.Object({ data: Type.Array(RuleBody, { description: 'The rules' }) }, { description: 'The rules.' })
        }
      }
    },
    async (request) => {
      const { type, status } = request.query
      const { storeId } = shopOf(request)
      const all = await db.inStore(storeId, async (ctx) =>
        listRulesWithProgress(ctx, cache, await viewerOf(ctx, request))
      )
      const data = all
        .filter(({ rule }) => type === undefined || rule.type.name === type)
        .filter(({ rule }) => status === undefined || statusOf(rule) === status)
        .map(presentRule)
      return { data }
    }
  )
}
