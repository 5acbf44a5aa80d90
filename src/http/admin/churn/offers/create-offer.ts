import { Type } from 'typebox'
import { createOffer, MAX_OFFERS } from '#churn'
import type { Surface } from '../../../shared/surface.ts'
import { StoreParams } from '../../store.ts'
import { OfferBody, offerChange, offerFields, presentOffer } from './present-offer.ts'

/** What is left out of a new offer. */
const DEFAULTS = {
  description: null,
  target: null,
  isOfEachItem: false,
  minMemberDays: 0,
  minDaysSinceOffer: 0,
  isForTrials: true,
  isOn: true
}

/** POST /stores/{store}/churn/offers */
export function createOfferRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/churn/offers',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'createChurnOffer',
        summary: 'Create an offer to people who cancel',
        description: `What is wrong is refused by its path, such as \`rules.discount_value\`. A store has at most ${MAX_OFFERS}.`,
        params: StoreParams,
        body: Type.Object(offerFields),
        response: { 200: OfferBody }
      }
    },
    async (request) => {
      const { name, type, rules, reasons, ...more } = request.body
      const input = { ...DEFAULTS, ...offerChange(more), name, type, rules, reasons }
      return presentOffer(await request.inStore((ctx) => createOffer(ctx, input)))
    }
  )
}
