import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import {
  findSituationOfContract,
  listMatchedOffers,
  type MatchedReason,
  type OfferPreview,
  obstacleTo,
  offerJson,
  previewOffer,
  type ReasonAlias
} from '#churn'
import { decimalOf } from '#kit/money'
import type { Queries } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { exampleOf, OfferBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { shopDay } from '../shop-time.ts'
import { shopOf } from '../shoppers.ts'
import type { ChurnDeps } from './deps.ts'
import { EXAMPLE_REASON, reasonFields } from './list-reasons.ts'
import { ownContract } from './own-subscription.ts'
import { readReason, reasonParameter } from './reason-parameter.ts'

const text = (description: string) => Type.String({ description })

const PreviewBody = Type.Object(
  {
    price: text('What a cycle is charged now, after all discounts; a decimal'),
    price_with_offer: text('What it is charged with the offer; a decimal'),
    currency: text('ISO 4217'),
    cycles: Type.Union([Type.Integer(), Type.Null()], { description: 'For how many cycles; null for all that follow' }),
    interval_name: text('`DAY`, `WEEK`, `MONTH` or `YEAR`: the interval between charges with the offer'),
    interval_count: Type.Integer({ description: 'How many of these are between two charges' }),
    next_billing_date: text('The day of the next charge in the shop, `Y-m-d`; empty where there is none'),
    credit_amount: text('The store credit that is added; empty for none')
  },
  { description: 'What the contract becomes with it; only with `contract_id`' }
)

const MatchedBody = Type.Object(
  {
    ...reasonFields,
    offers: Type.Array(Type.Object({ ...OfferBody.properties, preview: Type.Optional(PreviewBody) }), {
      description: 'The offers that are made for it'
    })
  },
  {
    title: 'CancellationReasonWithOffers',
    description: 'Why somebody may cancel, and what is offered to them.',
    examples: [{ ...EXAMPLE_REASON, offers: [exampleOf(OfferBody)] }]
  }
)

/** GET /membership/churn/offers (spec 2, Churn API) */
export function listOffersRoute(churn: Surface, { db, shown }: Pick<ChurnDeps, 'db' | 'shown'>): void {
  churn.get(
    '/offers',
    {
      config: { allow: 'read:churn' },
      // `readReason` checks the query; the proxy adds parameters of its own.
      validatorCompiler: () => (value) => ({ value }),
      schema: {
        operationId: 'listOffers',
        summary: 'List cancellation reasons with their offers',
        description:
          'The reasons that are switched on, in their order, each with the offers that are made for it. With `contract_id` only offers that this contract may accept now, each with what it would lead to. Each answer counts as shown, by day, reason and offer; who asks is not recorded.',
        querystring: Type.Object({
          cancellation_reason: reasonParameter('Only this reason; an empty list where it is switched off'),
          contract_id: Type.Optional(
            Type.String({
              description: 'a contract id',
              meaning: "The platform's number of a contract, or its global id; without a key one of the customer",
              examples: ['9264106591']
            })
          )
        }),
        response: {
          200: Type.Array(MatchedBody, { description: 'The reasons.', examples: [[exampleOf(MatchedBody)]] })
        }
      }
    },
    async (request) => {
      const { storeId, timezone } = shopOf(request)
      const alias = readReason(request.query)
      const { contract_id: contractId } = request.query as { contract_id?: unknown }
      const matched = await (contractId === undefined
        ? listMatchedOffers(db.direct, storeId, alias).then(withoutPreviews)
        : listAcceptable(db.direct, request, { contractId, alias }))
      // HEAD has no body, which nobody can have seen.
      if (request.method === 'GET') shown.count(storeId, matched)
      return matched.map(({ reason: { id, title, description, alias }, offers }) => ({
        ...{ id, title, description, alias },
        offers: offers.map(({ offer, preview }) => ({
          ...offerJson(offer),
          ...(preview && { preview: presentPreview(preview, timezone) })
        }))
      }))
    }
  )
}

/** Those that a contract may accept now. It and the offers are read side by side: an acceptance checks again what these show. */
async function listAcceptable(
  direct: Queries,
  request: FastifyRequest,
  { contractId, alias }: { contractId: unknown; alias: ReasonAlias | null }
) {
  if (typeof contractId !== 'string') throw new Refusal('not_found', 'There is no such contract')
  const { storeId } = shopOf(request)
  const [{ situation, now }, matched] = await Promise.all([
    ownContract(request, contractId, (number) => findSituationOfContract(direct, storeId, number)),
    listMatchedOffers(direct, storeId, alias)
  ])
  const isShopper = request.caller === null
  return matched.map(({ reason, offers }) => ({
    reason,
    offers: offers
      .filter((offer) => obstacleTo(offer, situation, { now, isShopper }) === null)
      .map((offer) => ({ offer, preview: previewOffer(offer, situation) }))
  }))
}

const withoutPreviews = (matched: MatchedReason[]) =>
  matched.map(({ reason, offers }) => ({ reason, offers: offers.map((offer) => ({ offer, preview: null })) }))

function presentPreview(one: OfferPreview, timezone: string): Static<typeof PreviewBody> {
  const { currency } = one
  return {
    price: decimalOf(one.priceMinor, currency),
    price_with_offer: decimalOf(one.priceWithOfferMinor, currency),
    currency,
    cycles: one.cycles,
    interval_name: one.interval.toUpperCase(),
    interval_count: one.intervalCount,
    next_billing_date: shopDay(one.nextBillingAt, timezone),
    credit_amount: one.creditMinor === null ? '' : decimalOf(one.creditMinor, currency)
  }
}
