import { type Static, Type } from 'typebox'
import { type OfferOutlook, offerJson, previewOffers } from '#churn'
import { isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { exampleOf, OfferBody, OrNull, Timestamp } from '#resources'
import { subscriptionNotFound } from '#subscriptions'
import { findSubscription } from '#views'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams } from '../store.ts'
import { contractParameter, namedContract } from './named-contract.ts'

const money = (description: string) => Type.Number({ description })

const OutlookBody = Type.Object({
  offer: Type.Object(OfferBody.properties, { description: 'The offer' }),
  shown_for: Type.Array(Type.String(), {
    description: 'The aliases of its reasons that are switched on; empty where customers do not see it'
  }),
  may_accept: Type.Boolean({ description: 'Whether the customer may accept it now' }),
  why_not: OrNull(Type.String({ description: 'Why they may not; null where they may' })),
  may_accept_with_key: Type.Boolean({
    description: 'Whether a program with a key may, to which the eligibility of the offer does not apply'
  }),
  preview: OrNull(
    Type.Object(
      {
        price_with_offer: money('What a cycle is charged with it'),
        credit_amount: OrNull(money('The store credit that is added; null for none')),
        cycles: OrNull(Type.Integer({ description: 'For how many cycles a discount is; null without an end' })),
        interval: Type.String({ description: 'The unit of a cycle with it: `day`, `week`, `month` or `year`' }),
        interval_count: Type.Integer({ description: 'How many units a cycle lasts' }),
        next_billing_date: OrNull(Timestamp('The next charge, which it does not move; null while there is none')),
        following_billing_date: OrNull(
          Timestamp('The charge after it, if no cycle is skipped or moved; null where there is none')
        ),
        full_price_date: OrNull(
          Timestamp('Likewise the first charge without the discount; null where it has no end or none is left')
        )
      },
      { description: 'What the contract becomes with it; null where nobody may accept it' }
    )
  )
})

const PreviewBody = Type.Object(
  {
    subscription_id: Type.String({ description: 'The subscription, `sub_24`' }),
    contract_id: Type.String({ description: "The platform's number of its contract" }),
    customer_id: Type.String({ description: 'The customer who pays' }),
    status: Type.String({ description: '`active`, `paused`, `cancelled`, `failed` or `expired`' }),
    price: money('The agreed price of a cycle'),
    currency: Type.String({ description: 'ISO 4217' }),
    offers: Type.Array(OutlookBody, { description: 'All offers of the store, in the order in which they were created' })
  },
  {
    title: 'ChurnPreview',
    description: 'What each offer would do to a contract.',
    examples: [
      {
        subscription_id: 'sub_24',
        contract_id: '9264106591',
        customer_id: 'cust_24',
        status: 'active',
        price: 29,
        currency: 'USD',
        offers: [
          {
            offer: exampleOf(OfferBody),
            shown_for: ['too_expensive'],
            may_accept: true,
            why_not: null,
            may_accept_with_key: true,
            preview: {
              price_with_offer: 21.75,
              credit_amount: null,
              cycles: 3,
              interval: 'month',
              interval_count: 1,
              next_billing_date: '2026-12-15T06:25:00.000Z',
              following_billing_date: '2027-01-15T06:25:00.000Z',
              full_price_date: '2027-03-15T06:25:00.000Z'
            }
          }
        ]
      }
    ]
  }
)

/** GET /stores/{store}/churn/preview */
export function previewOffersRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/churn/preview',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'previewChurnOffers',
        summary: 'Preview what offers would do to a contract',
        description:
          'Each offer of the store: whether it may be accepted now, and if not why; and the price and the dates that it leads to. Nothing is written, and nothing counts as shown.',
        params: StoreParams,
        querystring: Type.Object({ contract: contractParameter('The contract') }),
        response: { 200: PreviewBody }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const id = await namedContract(ctx, request.query.contract)
        const found = await findSubscription(ctx.tx, ctx.storeId, id)
        if (!found) throw subscriptionNotFound(id)
        const { currency } = found
        return {
          subscription_id: publicId('sub', id),
          contract_id: found.platformContractId,
          customer_id: publicId('cust', found.memberId),
          status: found.status,
          price: numberOf(found.priceMinor, currency),
          currency,
          offers: (await previewOffers(ctx, id)).map((one) => presentOutlook(one, currency))
        }
      })
  )
}

function presentOutlook({ offer, preview, ...one }: OfferOutlook, currency: string): Static<typeof OutlookBody> {
  const money = (minor: number) => numberOf(minor, currency)
  return {
    offer: offerJson(offer),
    shown_for: one.shownFor,
    may_accept: one.obstacle === null,
    why_not: one.obstacle,
    may_accept_with_key: one.isOpenToPrograms,
    preview: preview && {
      price_with_offer: money(preview.priceWithOfferMinor),
      credit_amount: preview.creditMinor === null ? null : money(preview.creditMinor),
      cycles: preview.cycles,
      interval: preview.interval,
      interval_count: preview.intervalCount,
      next_billing_date: isoOrNull(preview.nextBillingAt),
      following_billing_date: isoOrNull(preview.followingAt),
      full_price_date: isoOrNull(preview.fullPriceAt)
    }
  }
}
