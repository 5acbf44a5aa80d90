import { listRules } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { List } from '../../fields.ts'
import { StoreParams } from '../../store.ts'
import { presentRule, RuleBody } from './present-rule.ts'

/** GET /stores/{store}/loyalty/rules */
export function listRulesRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/rules',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listLoyaltyRules',
        summary: 'List loyalty rules',
        description: 'All that are not archived, in the order in which they were created: at most 200.',
        params: StoreParams,
        response: { 200: List(RuleBody, 'The rules') }
      }
    },
    (request) => request.inStore(async (ctx) => ({ data: (await listRules(ctx)).map(presentRule) }))
  )
}
