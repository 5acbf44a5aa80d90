import { Type } from 'typebox'
import { listContractOffers } from '#churn'
import type { Surface } from '../../../shared/surface.ts'
import { Before, oneOf, Page, PageLimit, pageOf } from '../../fields.ts'
import { StoreParams } from '../../store.ts'
import { contractParameter, namedContract } from '../named-contract.ts'
import { AcceptedOfferBody, presentAcceptedOffer } from './present-accepted-offer.ts'

/** GET /stores/{store}/churn/accepted-offers */
export function listAcceptedOffersRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/churn/accepted-offers',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listAcceptedOffers',
        summary: 'List the offers that were accepted on contracts',
        description:
          'Newest first, with those that have ended. One that the platform is still applying is not there yet.',
        params: StoreParams,
        querystring: Type.Object({
          contract: Type.Optional(contractParameter('Only those of this contract')),
          offer: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: Number.MAX_SAFE_INTEGER,
              description: 'the number of an offer',
              meaning: 'Only acceptances of this offer',
              examples: [3]
            })
          ),
          status: Type.Optional(oneOf(['active', 'cancelled'], { meaning: 'Only those with this status' })),
          limit: PageLimit,
          before: Before('an accepted offer', 'older ones', 17)
        }),
        response: { 200: Page(AcceptedOfferBody, 'The accepted offers') }
      }
    },
    (request) => {
      const { contract, offer: offerId = null, status = null, limit = 50, before: beforeId = null } = request.query
      return request.inStore(async (ctx) => {
        const subscriptionIds = contract === undefined ? null : [await namedContract(ctx, contract)]
        const filter = { subscriptionIds, offerId, status, beforeId, limit: limit + 1 }
        return pageOf(await listContractOffers(ctx, filter), limit, presentAcceptedOffer)
      })
    }
  )
}
