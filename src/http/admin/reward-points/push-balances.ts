import { Type } from 'typebox'
import { pushRewardBalances } from '#exports'
import { parseCustomerId } from '#members'
import type { Surface } from '../../shared/surface.ts'
import { storeOf } from '../store.ts'
import { IntegrationParams } from './present-integration.ts'

const MAX_BALANCES = 1000

/** POST /stores/{store}/reward-integrations/{integration}/balances */
export function pushBalancesRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/reward-integrations/:integration/balances',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'pushRewardBalances',
        summary: 'Push balances of reward points',
        description: 'Replaces the balances of these customers at the integration; those of others stay.',
        params: IntegrationParams,
        body: Type.Object({
          balances: Type.Array(
            Type.Object({
              customer: Type.String({
                maxLength: 100,
                description: "a customer id, the platform's number or its global id"
              }),
              points: Type.Integer({
                minimum: 0,
                maximum: Number.MAX_SAFE_INTEGER,
                description: `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`
              })
            }),
            {
              minItems: 1,
              maxItems: MAX_BALANCES,
              description: `1 to ${MAX_BALANCES} objects of \`customer\` (a customer id, the platform's number or its global id) and \`points\` (an integer from 0 to ${Number.MAX_SAFE_INTEGER})`,
              meaning: 'The present balances; of several of one customer the last counts',
              examples: [[{ customer: '7064055069370', points: 120 }]]
            }
          )
        }),
        response: {
          200: Type.Object({
            stored: Type.Integer({ description: 'Of how many customers the balance was stored', examples: [0] }),
            unknown: Type.Array(Type.String(), {
              description: 'Customers, as they were given, whom the store does not have: their balances were left out',
              examples: [['7064055069370']]
            })
          })
        }
      }
    },
    (request) => {
      const { platformProfile: profile } = storeOf(request)
      const pushed = request.body.balances.map(({ customer, points }) => ({
        given: customer,
        customer: parseCustomerId(customer, profile),
        points
      }))
      return request.inStore((ctx) => pushRewardBalances(ctx, request.params.integration, pushed))
    }
  )
}
