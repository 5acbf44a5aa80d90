import { Type } from 'typebox'
import { visitPage } from '#loyalty'
import { resolveCustomer } from '#members'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { customerOf } from '../shoppers.ts'
import { presentRule, RuleBody } from './present-rule.ts'
import { RuleParams, ruleIdOf } from './rule-params.ts'

/** POST /loyalty/social/{rule_id}: the contract only reads, so what a customer does there is ours. */
export function visitPageRoute(
  storefront: Surface,
  { db, connectorOf, wake }: Pick<HttpDeps, 'db' | 'connectorOf' | 'wake'>
): void {
  storefront.post(
    '/loyalty/social/:rule_id',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'visitPage',
        summary: 'Report a visit of a social page',
        description:
          'The customer who is logged in has visited the page that a rule of the type `social` names. It counts once: to repeat it is safe. Returns the rule with the progress after it. 403 for a first visit of a rule that is not active, or not for this customer.',
        params: RuleParams,
        response: { 200: Type.Object({ data: RuleBody }, { description: 'The rule.' }) }
      }
    },
    async (request) => {
      const { store, customerId } = customerOf(request)
      const { storeId } = store
      const ruleId = ruleIdOf(request.params)
      const reference = { memberId: null, platformId: customerId, email: null }
      // The platform is asked before the transaction, which must not wait for it.
      const memberId = await resolveCustomer(
        db,
        storeId,
        () => connectorOf(storeId),
        reference,
        'logged_in_customer_id'
      )
      const visited = await db.inStore(storeId, (ctx) => visitPage(ctx, memberId, ruleId))
      wake(storeId)
      return { data: presentRule(visited) }
    }
  )
}
