import { contractOfferNotFound, revokeOffer } from '#churn'
import type { Surface } from '../../../shared/surface.ts'
import { actorOf } from '../../caller.ts'
import { numberedParams, numberInPath } from '../../numbered.ts'
import { AcceptedOfferBody, presentAcceptedOffer } from './present-accepted-offer.ts'

/** POST /stores/{store}/churn/accepted-offers/{accepted_offer}/revoke */
export function revokeAcceptedOfferRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/churn/accepted-offers/:accepted_offer/revoke',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'revokeAcceptedOffer',
        summary: 'Revoke an accepted offer',
        description:
          'What is left of a discount is taken off the contract a moment later, the former frequency holds again from the next cycle on, and store credit stays. 409 where it is over.',
        params: numberedParams('accepted_offer', 'an accepted offer'),
        response: { 200: AcceptedOfferBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.accepted_offer, contractOfferNotFound)
      return presentAcceptedOffer(await request.inStore((ctx) => revokeOffer(ctx, id, actorOf(request))))
    }
  )
}
