import type { Static } from 'typebox'
import { numberOf } from '#kit/money'
import { bool, instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'
import type { OfferBody } from '#resources'
import { OFFER_INTERVALS, OFFER_TYPES } from './offer-fields.ts'

/** The columns of what an offer gives, alike of an offer and of one that was accepted. */
export const termColumns = {
  type: oneOf(...OFFER_TYPES),
  /** Of its amounts. */
  currency: text,
  /** Of a discount: a whole percentage or an amount. */
  percent: nullable(int),
  amountMinor: nullable(int),
  /** Of a discount: for how many cycles; null: for all that follow. */
  cycles: nullable(int),
  target: nullable(oneOf('line_item', 'shipping_line')),
  isOfEachItem: bool,
  interval: nullable(oneOf(...OFFER_INTERVALS)),
  intervalCount: nullable(int),
  creditMinor: nullable(int)
}
const Terms = row(termColumns)
export type OfferTerms = RowOf<typeof Terms>

export const OfferRow = row({
  id: int,
  name: text,
  description: nullable(text),
  ...termColumns,
  minMemberDays: int,
  minDaysSinceOffer: int,
  isForTrials: bool,
  isOn: bool,
  createdAt: instant,
  updatedAt: instant
})
/** What may be offered to people who cancel. */
export type Offer = RowOf<typeof OfferRow>

/** What of an offer everybody may read (spec 2, offer). */
export type OfferToShow = Pick<Offer, 'id' | 'name' | 'description'> & OfferTerms

/** `rules` as the Churn API has them (spec 2). A limit of cycles is there where the offer has one. */
export function offerRulesJson(terms: OfferTerms): Static<typeof OfferBody>['rules'] {
  const { type, currency, percent, amountMinor, cycles, interval, intervalCount, creditMinor } = terms
  switch (type) {
    case 'discount_price':
      return {
        discount_type: percent === null ? 'fixed_amount' : 'percentage',
        discount_value: percent ?? numberOf(amountMinor!, currency),
        ...(cycles !== null && { recurring_cycle_limit: cycles })
      }
    case 'change_frequency':
      return { interval_count: intervalCount!, interval_name: interval! }
    case 'add_store_credits':
      return { credit_amount: numberOf(creditMinor!, currency) }
  }
}

/** An offer as the Churn API has it (spec 2). */
export const offerJson = (one: OfferToShow) => ({
  id: one.id,
  name: one.name,
  description: one.description,
  type: one.type,
  rules: offerRulesJson(one)
})
