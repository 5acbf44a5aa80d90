import { type Static, Type } from 'typebox'
import { type ContractOffer, contractOfferJson, offerJson } from '#churn'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { ContractOfferBody, OfferBody, OrNull, Timestamp } from '#resources'

const { id: _, ...offerFields } = OfferBody.properties

export const AcceptedOfferBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its id; the offer has another' }),
    status: Type.String({ description: '`active` or `cancelled`' }),
    ended_by: OrNull(
      Type.String({
        description:
          'Why it ended: `used` (all cycles of a discount), `charged` (the next charge was paid), `revoked` here, `removed` on the platform, or `lost` (a day after the end of its contract)'
      })
    ),
    subscription_id: Type.String({ description: 'The subscription of its contract, `sub_24`' }),
    offer_id: Type.Integer({ description: 'The offer' }),
    ...offerFields,
    reason: OrNull(Type.String({ description: 'The reason that it was shown for, where it is known' })),
    reward: ContractOfferBody.properties.reward,
    accepted_at: Timestamp('When it was accepted'),
    contract_ended_at: OrNull(Timestamp('Since when its contract has ended; null while it lives')),
    ended_at: OrNull(Timestamp('When it ended; null while it is active')),
    updated_at: Timestamp('When it last changed')
  },
  {
    title: 'AcceptedOffer',
    description: 'An offer that was accepted on a contract, as it was then.',
    examples: [
      {
        id: 17,
        status: 'active',
        ended_by: null,
        subscription_id: 'sub_24',
        offer_id: 3,
        name: '25 % off for three months',
        description: 'Stay, and pay a quarter less.',
        type: 'discount_price',
        rules: { discount_type: 'percentage', discount_value: 25, recurring_cycle_limit: 3 },
        reason: 'too_expensive',
        reward: {
          gid: 'gid://platform/SubscriptionManualDiscount/b8d4b7a0-1c55-4e0e-8a57-3a4c1fb0e6d2',
          title: 'SVC: 25 % off for three months (ref. 7KQ2M9XWBP4T)',
          target_type: 'LINE_ITEM',
          recurring_cycle_limit: 3,
          usage_count: 1,
          applies_on_each_item: false,
          discount_type: 'percentage',
          value: 25,
          deleted_at: null
        },
        accepted_at: '2026-11-20T04:00:00.000Z',
        contract_ended_at: null,
        ended_at: null,
        updated_at: '2026-12-15T06:25:00.000Z'
      }
    ]
  }
)

export function presentAcceptedOffer(one: ContractOffer): Static<typeof AcceptedOfferBody> {
  const { id: offerId, ...offer } = offerJson({ ...one, id: one.offerId })
  return {
    id: one.id,
    status: one.status,
    ended_by: one.endedBy,
    subscription_id: publicId('sub', one.subscriptionId),
    offer_id: offerId,
    ...offer,
    reason: one.reason,
    reward: contractOfferJson(one).reward,
    accepted_at: isoOf(one.acceptedAt),
    contract_ended_at: isoOrNull(one.lostAt),
    ended_at: isoOrNull(one.endedAt),
    updated_at: isoOf(one.updatedAt)
  }
}
