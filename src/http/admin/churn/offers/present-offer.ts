import { type Static, Type } from 'typebox'
import { OFFER_TARGETS, OFFER_TYPES, type OfferInput, type OfferWithReasons, offerJson, REASON_ALIASES } from '#churn'
import { isoOf } from '#kit/clock'
import { OfferBody as OfferTerms, OrNull, Timestamp } from '#resources'
import { notBlank } from '../../../shared/not-blank.ts'
import { boolean, jsonObject, oneOf } from '../../fields.ts'
import { numberedParams } from '../../numbered.ts'

export const OfferParams = numberedParams('offer', 'an offer')

const MAX_DAYS = 3660
const days = (meaning: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_DAYS,
      description: `a whole number from 0 to ${MAX_DAYS}`,
      meaning,
      examples: [30]
    })
  )

/** What an operator enters of an offer. */
export const offerFields = {
  name: notBlank(255, { meaning: 'Its name, which customers read', examples: ['25 % off for three months'] }),
  description: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 1000 }), Type.Null()], {
      description: 'a text of 1 to 1000 characters, or null',
      meaning: 'What customers read below its name; null for nothing',
      examples: ['Stay, and pay a quarter less.']
    })
  ),
  type: oneOf(OFFER_TYPES, { meaning: 'What it gives', examples: ['discount_price'] }),
  rules: jsonObject(
    'an object with the keys of its type',
    'How much it gives: [the keys of each type](churn.md#offers); given whole',
    { discount_type: 'percentage', discount_value: 25, recurring_cycle_limit: 3 }
  ),
  reasons: Type.Array(Type.String(), {
    description: `a list of at least one of ${REASON_ALIASES.join(', ')}`,
    meaning: 'For which reasons it is offered; given whole',
    examples: [['too_expensive', 'not_using_enough']]
  }),
  target_type: Type.Optional(
    oneOf(OFFER_TARGETS, {
      meaning:
        'Of `discount_price`: what it reduces; `LINE_ITEM` by default. `SHIPPING_LINE` makes delivery free: `discount_type` is percentage and `discount_value` is 100',
      examples: ['LINE_ITEM']
    })
  ),
  applies_on_each_item: Type.Optional(
    Type.Boolean({
      description: 'true or false',
      meaning:
        'Of `discount_price` with `fixed_amount`: whether the amount is off each piece, and not once; false by default',
      examples: [false]
    })
  ),
  enabled: boolean('Whether it is offered; true at first'),
  eligibility: Type.Optional(
    Type.Object({
      min_member_days: days(
        'Only to customers who have had a membership, or this contract, for so many days; 0 by default'
      ),
      min_days_since_offer: days(
        'Only to customers who accepted no offer for so many days, on any contract; 0 by default'
      ),
      in_trial: boolean('Whether it is offered during a trial; true by default')
    })
  )
}

export const OfferBody = Type.Object(
  {
    ...OfferTerms.properties,
    reasons: Type.Array(Type.String(), { description: 'The aliases of the reasons for which it is offered' }),
    target_type: OrNull(Type.String({ description: '`LINE_ITEM` or `SHIPPING_LINE`; null for what is no discount' })),
    applies_on_each_item: Type.Boolean({ description: 'Whether its amount is off each piece' }),
    currency: Type.String({ description: 'Of its amounts: that of the shop when they were entered' }),
    enabled: Type.Boolean({ description: 'Whether it is offered' }),
    eligibility: Type.Object(
      {
        min_member_days: Type.Integer({
          description: 'For how many days the customer has had a membership, or this contract, at least'
        }),
        min_days_since_offer: Type.Integer({ description: 'For how many days the customer accepted no offer' }),
        in_trial: Type.Boolean({ description: 'Whether it is offered during a trial' })
      },
      { description: 'To whom it is offered; a program with a key may accept it for everybody' }
    ),
    created_at: Timestamp('When it was created'),
    updated_at: Timestamp('When it was last changed')
  },
  {
    title: 'ChurnOffer',
    description: 'What may be offered to people who cancel.',
    examples: [
      {
        id: 3,
        name: '25 % off for three months',
        description: 'Stay, and pay a quarter less.',
        type: 'discount_price',
        rules: { discount_type: 'percentage', discount_value: 25, recurring_cycle_limit: 3 },
        reasons: ['not_using_enough', 'too_expensive'],
        target_type: 'LINE_ITEM',
        applies_on_each_item: false,
        currency: 'USD',
        enabled: true,
        eligibility: { min_member_days: 30, min_days_since_offer: 90, in_trial: false },
        created_at: '2026-11-20T04:00:00.000Z',
        updated_at: '2026-11-20T04:00:00.000Z'
      }
    ]
  }
)

const TARGET_TYPES = { line_item: 'LINE_ITEM', shipping_line: 'SHIPPING_LINE' } as const

export const presentOffer = (one: OfferWithReasons): Static<typeof OfferBody> => ({
  ...offerJson(one),
  reasons: one.reasons,
  target_type: one.target && TARGET_TYPES[one.target],
  applies_on_each_item: one.isOfEachItem,
  currency: one.currency,
  enabled: one.isOn,
  eligibility: {
    min_member_days: one.minMemberDays,
    min_days_since_offer: one.minDaysSinceOffer,
    in_trial: one.isForTrials
  },
  created_at: isoOf(one.createdAt),
  updated_at: isoOf(one.updatedAt)
})

const Given = Type.Partial(Type.Object(offerFields))

/** What is given of an offer. */
export function offerChange(given: Static<typeof Given>): Partial<OfferInput> {
  const { target_type, applies_on_each_item, enabled, eligibility = {}, ...same } = given
  const { min_member_days, min_days_since_offer, in_trial } = eligibility
  return {
    ...same,
    ...(target_type !== undefined && { target: target_type }),
    ...(applies_on_each_item !== undefined && { isOfEachItem: applies_on_each_item }),
    ...(enabled !== undefined && { isOn: enabled }),
    ...(min_member_days !== undefined && { minMemberDays: min_member_days }),
    ...(min_days_since_offer !== undefined && { minDaysSinceOffer: min_days_since_offer }),
    ...(in_trial !== undefined && { isForTrials: in_trial })
  }
}
