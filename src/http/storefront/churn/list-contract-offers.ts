import { Type } from 'typebox'
import { contractOfferJson, listContractOffers } from '#churn'
import { ContractOfferBody, exampleOf } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { shopOf } from '../shoppers.ts'
import type { ChurnDeps } from './deps.ts'
import { ContractParams, ownSubscription } from './own-subscription.ts'

/** GET /membership/churn/{contract_id}/offers (spec 2, Churn API) */
export function listContractOffersRoute(churn: Surface, { db }: Pick<ChurnDeps, 'db'>): void {
  churn.get(
    '/:contract_id/offers',
    {
      config: { allow: 'read:churn' },
      schema: {
        operationId: 'listContractOffers',
        summary: 'List the offers that were accepted on a contract',
        description: 'Newest first, those that have ended too.',
        params: ContractParams,
        response: {
          200: Type.Array(ContractOfferBody, { description: 'The offers.', examples: [[exampleOf(ContractOfferBody)]] })
        }
      }
    },
    (request) =>
      db.inStore(shopOf(request).storeId, async (ctx) => {
        const { id } = await ownSubscription(ctx, request)
        return (await listContractOffers(ctx, { subscriptionIds: [id] })).map(contractOfferJson)
      })
  )
}
