import { Type } from 'typebox'
import { activateOffer, contractOfferJson, offerNotFound } from '#churn'
import { ContractOfferBody } from '#resources'
import { inTime } from '../../shared/deadline.ts'
import type { Surface } from '../../shared/surface.ts'
import { shopOf } from '../shoppers.ts'
import type { ChurnDeps } from './deps.ts'
import { ContractParams, ownSubscription } from './own-subscription.ts'
import { readReason, reasonParameter } from './reason-parameter.ts'

/** POST /membership/churn/{contract_id}/offers/{offer_id}/activation (spec 2, Churn API) */
export function activateOfferRoute(churn: Surface, deps: ChurnDeps): void {
  const { db, wake } = deps
  churn.post(
    '/:contract_id/offers/:offer_id/activation',
    {
      config: { allow: 'write:churn' },
      // `readReason` checks the query; the proxy adds parameters of its own.
      validatorCompiler: () => (value) => ({ value }),
      schema: {
        operationId: 'activateOffer',
        summary: 'Accept an offer on a contract',
        description:
          'Applies what the offer gives to the contract before it answers: a discount or another frequency on the platform, store credit in the ledger. It has no body; a customer without a key sends `{}` as `application/json`. 403 where the contract has an active offer, has used this one, has ended, is being charged, or the offer does not fit it; 404 for an offer that is switched off; 503 where the platform does not do it in time: then nothing is applied.',
        params: Type.Object({
          ...ContractParams.properties,
          offer_id: Type.String({
            description: 'the number of an offer',
            meaning: 'The id of the offer',
            examples: ['3']
          })
        }),
        querystring: Type.Object({
          cancellation_reason: reasonParameter('The reason that the offer was shown for, which reports count it by')
        }),
        response: { 200: ContractOfferBody }
      }
    },
    async (request) => {
      const { storeId } = shopOf(request)
      const { offer_id } = request.params
      const reason = readReason(request.query)
      const { id: subscriptionId, by } = await db.inStore(storeId, (ctx) => ownSubscription(ctx, request))
      if (!/^[1-9]\d{0,14}$/.test(offer_id)) throw offerNotFound(offer_id)
      const acceptance = { subscriptionId, offerId: Number(offer_id), reason, by, isShopper: request.caller === null }
      const offer = await inTime(request, activateOffer(deps, storeId, acceptance))
      wake(storeId)
      return contractOfferJson(offer)
    }
  )
}
