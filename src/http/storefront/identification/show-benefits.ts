import { Type } from 'typebox'
import { findBenefits } from '#identification'
import { decimalOf } from '#kit/money'
import { priceCart } from '#plans/pricing'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { shopOf } from '../shoppers.ts'

const money = (description: string) => Type.String({ description: `${description}; a decimal` })

const Benefits = Type.Object(
  {
    tier: Type.String({ description: 'Whose perks count: `elite`, `vip`, or empty for nobody’s' }),
    currency: Type.String({ description: 'ISO 4217' }),
    store_credit: money('What the customer can spend'),
    lines: Type.Array(
      Type.Object({
        id: Type.String({ description: "The line's own id" }),
        price: money('Of one piece, before'),
        member_price: money('Of one piece, for this customer'),
        discount: money('What is taken off the line, in all'),
        total: money('What the line costs')
      }),
      { description: 'Those of the cart, in its order; empty without a cart' }
    )
  },
  {
    title: 'Benefits',
    description: 'What a customer pays and can spend.',
    examples: [
      {
        tier: 'vip',
        currency: 'EUR',
        store_credit: '12.50',
        lines: [{ id: '1', price: '10.00', member_price: '8.00', discount: '4.00', total: '16.00' }]
      }
    ]
  }
)

/** POST /identification/benefits (spec 3, svc_otp): a POST, so that no log has the token in its address. */
export function showBenefitsRoute(storefront: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  storefront.post(
    '/identification/benefits',
    {
      config: { allow: 'visitor' },
      schema: {
        operationId: 'showBenefits',
        summary: 'Show the prices and the store credit of a customer',
        description:
          'For whoever a token names. `cart` is that of `POST /stores/{store}/pricing/preview` of the admin API; a field of it that is wrong is named by its path, such as `cart.lines[1].price`. It changes nothing. 401 for a token that is not good any more.',
        body: Type.Object({
          token: Type.String({
            minLength: 1,
            maxLength: 500,
            description: 'a token that a code was exchanged for',
            meaning: 'Who is asked about',
            examples: ['eyJjIjoyNCwiZSI6MTc5NTE2ODgwMH0.bPzX1m4vZJx3WnQ0sKc9yRtLd2eUgFhA7oNiB5jVq8E']
          }),
          cart: Type.Optional(
            Type.Record(Type.String(), Type.Unknown(), {
              description: 'an object with lines, charge, country, shipping',
              meaning: 'What is looked at or bought',
              examples: [{ lines: [{ product_id: '7064055069311', quantity: 2, price: '10.00' }] }]
            })
          )
        }),
        response: { 200: Benefits }
      }
    },
    async (request) => {
      const { storeId } = shopOf(request)
      const { token, cart } = request.body
      const found = await db.inStore(storeId, (ctx) => findBenefits(ctx, token, cart ?? null))
      const { currency, plans, member } = found
      const price = found.cart && priceCart(found.cart, { plans, member })
      const text = (minor: number) => decimalOf(minor, currency)
      const tier = member.activeTiers.includes('elite') ? 'elite' : (member.activeTiers[0] ?? '')
      return {
        tier: price ? (price.tier ?? '') : tier,
        currency,
        store_credit: text(found.availableMinor),
        lines: (price?.lines ?? []).map((line) => ({
          id: line.id,
          price: text(line.priceMinor),
          member_price: text(line.memberPriceMinor),
          discount: text(line.discountMinor),
          total: text(line.totalMinor)
        }))
      }
    }
  )
}
