import { Type } from 'typebox'
import { invalidField } from '#kit/refusal'
import { ACCEPTED_COUNTRY } from '#plans/pricing'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { amount, platformNumber, text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { amountFrom, play } from './sandbox-store.ts'

const OrderBody = Type.Object(
  {
    customer: platformNumber('the customer'),
    total: Type.Optional(amount({ meaning: 'One line of this price, instead of items', examples: ['40.00'] })),
    items: Type.Optional(
      Type.Array(
        Type.Object({
          variant: text(100, "a variant's SKU or number on the platform", { examples: ['MUG-BLUE'] }),
          quantity: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 1000,
              description: 'an integer from 1 to 1000',
              meaning: 'How many; 1 without it',
              examples: [2]
            })
          )
        }),
        {
          maxItems: 100,
          description: 'a list of up to 100 items',
          meaning: 'What is bought of the catalogue',
          examples: [[{ variant: 'MUG-BLUE', quantity: 2 }]]
        }
      )
    ),
    plans: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 10,
        description: 'a list of up to 10 names of plans',
        meaning: 'Plans that are bought with the items; each begins a contract',
        examples: [['VIP']]
      })
    ),
    credit: Type.Optional(amount({ meaning: 'How much of it is paid with store credit', examples: ['10.00'] })),
    gift_card: Type.Optional(
      text(40, undefined, {
        meaning: 'The code of a gift card, which pays as far as it goes',
        examples: ['cbe777g276h467gg']
      })
    ),
    code: Type.Optional(
      text(500, undefined, { meaning: 'A discount code, or several with commas between', examples: ['SAVE'] })
    ),
    country: Type.Optional(countryCode('Where it is shipped to; where the customer lives without it')),
    province: Type.Optional(text(10, undefined, { meaning: "The country's province", examples: ['NY'] })),
    street: Type.Optional(
      text(200, undefined, { meaning: 'Street and house; those of the customer without it', examples: ['12 Elm St.'] })
    ),
    billing_country: Type.Optional(countryCode('The country of the address of the bill, if it is another')),
    attributes: Type.Optional(
      Type.Array(
        Type.Object({
          name: text(100, undefined, { examples: ['deliverySchedule'] }),
          value: Type.String({ maxLength: 500, description: 'a text of up to 500 characters', examples: ['Monday'] })
        }),
        {
          maxItems: 50,
          description: 'a list of up to 50 names and values',
          meaning: "The order's note attributes",
          examples: [[{ name: 'deliverySchedule', value: 'Monday' }]]
        }
      )
    ),
    app_discount: Type.Optional(
      Type.Object(
        {
          title: text(255, undefined, { examples: ['Store credit'] }),
          amount: amount({ examples: ['5.00'] })
        },
        {
          description: 'an object with title and amount',
          meaning:
            'What a discount function of an app takes off, by an automatic discount of this title: at most what is left to pay. The function itself does not run here',
          examples: [{ title: 'Store credit', amount: '5.00' }]
        }
      )
    ),
    note: Type.Optional(text(1000, undefined, { meaning: "The customer's note", examples: ['Leave it at the door'] })),
    shipping: Type.Optional(amount({ meaning: 'What the shipping costs; none without it', examples: ['5.00'] })),
    tax_percent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'a number from 0 to 100',
        meaning: 'Tax on top of the prices; none without it',
        examples: [8.5]
      })
    ),
    taxes_included: Type.Optional(
      Type.Boolean({ description: 'true or false', meaning: 'The tax is in the prices, not on top of them' })
    ),
    channel: Type.Optional(
      text(100, undefined, { meaning: 'The sales channel, or the number of the app that sells it', examples: ['web'] })
    )
  },
  { examples: [{ customer: '7064055069370', total: '40.00' }] }
)

function countryCode(meaning: string) {
  return Type.String({
    pattern: '^[A-Z]{2}$',
    description: ACCEPTED_COUNTRY,
    meaning,
    examples: ['US']
  })
}

const PlacedOrder = Type.Object(
  {
    id: Type.String({ description: "The platform's number of the order" }),
    name: Type.String({ description: 'The number that customers see' })
  },
  {
    title: 'SandboxOrder',
    description: 'An order of the sandbox shop.',
    examples: [{ id: '5820982912465', name: '#1013' }]
  }
)

/** POST /stores/{store}/sandbox/orders */
export function placeOrderRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/orders',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'placeSandboxOrder',
        summary: 'Place an order',
        description:
          'The customer buys something once, and the plans that are named with it, all in one order. Nothing is bought if the card is declined, or if a code, the credit or the gift card does not apply.',
        params: StoreParams,
        body: OrderBody,
        response: { 201: PlacedOrder }
      }
    },
    async (request, reply) => {
      const { customer, total, items = [], plans = [], credit, gift_card, code, shipping = 0, ...rest } = request.body
      const lines = [...plans.map((plan) => ({ plan })), ...items]
      if ((total === undefined) === (lines.length === 0)) {
        throw invalidField('total', 'must be given, or items or plans, but not both')
      }
      const {
        country,
        province,
        street,
        billing_country,
        attributes,
        app_discount,
        note,
        tax_percent,
        taxes_included,
        channel
      } = rest
      const { id, name } = await play(deps, request, ({ storeId, currency }) =>
        deps.sandbox.placeOrder(storeId, {
          customerId: customer,
          totalMinor: total === undefined ? null : amountFrom('total', total, currency),
          lines,
          creditMinor: credit === undefined ? 0 : creditFrom(credit, currency),
          giftCard: gift_card ?? null,
          codes: codesIn(code),
          ...(app_discount && { appDiscount: { ...app_discount, amount: String(app_discount.amount) } }),
          country: country ?? null,
          province: province ?? null,
          street: street ?? null,
          billingCountry: billing_country ?? null,
          attributes: attributes ?? [],
          note: note ?? null,
          shippingMinor: amountFrom('shipping', shipping, currency),
          taxPercent: tax_percent ?? null,
          taxesIncluded: taxes_included ?? null,
          channel: channel ?? null
        })
      )
      return reply.code(201).send({ id, name })
    }
  )
}

/** Nothing is paid with store credit where the field is left out. */
function creditFrom(given: string | number, currency: string): number {
  const minor = amountFrom('credit', given, currency)
  if (minor === 0) throw invalidField('credit', 'must be above 0; without it nothing is paid with store credit')
  return minor
}

const codesIn = (given = ''): string[] =>
  given
    .split(',')
    .map((code) => code.trim())
    .filter((code) => code !== '')
