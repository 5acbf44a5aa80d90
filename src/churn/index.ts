export { type ActivationDeps, activateOffer } from './activation/activate-offer.ts'
export type { Acceptance } from './activation/begin-activation.ts'
export { listActiveOffers, listOfferHolders } from './contract-offers/active-offers.ts'
export { type ContractOffer, contractOfferJson, contractOfferOf } from './contract-offers/contract-offer.ts'
export {
  type ContractOfferFilter,
  getContractOffer,
  listContractOffers
} from './contract-offers/contract-offer-queries.ts'
export { addShown, type ShownTimes } from './counts/add-shown.ts'
export { listSaveRates, type SaveRate } from './counts/save-rates.ts'
export { churnConsumer } from './ends/end-on-facts.ts'
export { revokeOffer } from './ends/revoke-offer.ts'
export { createOffer, MAX_OFFERS, type OfferInput, updateOffer } from './offers/change-offers.ts'
export { listMatchedOffers, type MatchedReason } from './offers/matched-offers.ts'
export { type Offer, offerJson, offerRulesJson, priceWithOffer } from './offers/offer.ts'
export { describeOfferTypes, OFFER_TARGETS, OFFER_TYPES, type OfferType } from './offers/offer-fields.ts'
export { getOffer, listOffers, type OfferWithReasons } from './offers/offer-queries.ts'
export { type OfferOutlook, previewOffers } from './offers/preview-offers.ts'
export { findSituation, type OfferPreview, obstacleTo, previewOffer } from './offers/situation.ts'
export { listReasons } from './reasons/reason-queries.ts'
export { isReasonAlias, REASON_ALIASES, type Reason, type ReasonAlias, type ReasonChange } from './reasons/reasons.ts'
export { updateReason } from './reasons/update-reason.ts'
export { contractOfferNotFound, noSuchReason, offerNotFound } from './refusals.ts'
