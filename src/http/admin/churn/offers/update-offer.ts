import { offerNotFound, updateOffer } from '#churn'
import type { Surface } from '../../../shared/surface.ts'
import { anyOf } from '../../fields.ts'
import { numberInPath } from '../../numbered.ts'
import { OfferBody, OfferParams, offerChange, offerFields, presentOffer } from './present-offer.ts'

/** PATCH /stores/{store}/churn/offers/{offer} */
export function updateOfferRoute(admin: Surface): void {
  admin.patch(
    '/stores/:store/churn/offers/:offer',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'updateChurnOffer',
        summary: 'Change an offer to people who cancel',
        description:
          'What is left out stays; `rules` and `reasons` are replaced as a whole, and another `type` needs its own `rules`. With `enabled` false nobody can accept it any more. What was accepted stays as it was.',
        params: OfferParams,
        body: anyOf(offerFields),
        response: { 200: OfferBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.offer, offerNotFound)
      return presentOffer(await request.inStore((ctx) => updateOffer(ctx, id, offerChange(request.body))))
    }
  )
}
