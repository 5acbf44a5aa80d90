import { listOffers, MAX_OFFERS } from '#churn'
import type { Surface } from '../../../shared/surface.ts'
import { List } from '../../fields.ts'
import { StoreParams } from '../../store.ts'
import { OfferBody, presentOffer } from './present-offer.ts'

/** GET /stores/{store}/churn/offers */
export function listOffersRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/churn/offers',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listChurnOffers',
        summary: 'List offers to people who cancel',
        description: `All of the store, in the order in which they were created: at most ${MAX_OFFERS}.`,
        params: StoreParams,
        response: { 200: List(OfferBody, 'The offers') }
      }
    },
    (request) => request.inStore(async (ctx) => ({ data: (await listOffers(ctx)).map(presentOffer) }))
  )
}
