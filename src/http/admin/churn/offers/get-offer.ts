import { getOffer, offerNotFound } from '#churn'
import type { Surface } from '../../../shared/surface.ts'
import { numberInPath } from '../../numbered.ts'
import { OfferBody, OfferParams, presentOffer } from './present-offer.ts'

/** GET /stores/{store}/churn/offers/{offer} */
export function getOfferRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/churn/offers/:offer',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getChurnOffer',
        summary: 'Read an offer to people who cancel',
        description: 'What it gives, for which reasons, and to whom.',
        params: OfferParams,
        response: { 200: OfferBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.offer, offerNotFound)
      return presentOffer(await request.inStore((ctx) => getOffer(ctx, id)))
    }
  )
}
