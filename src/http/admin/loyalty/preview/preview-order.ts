import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import {
  type OrderPreview,
  PREVIEW_OUTCOMES,
  previewOrder,
  type RulePreview,
  readOrderToPreview,
  ruleSentence
} from '#loyalty'
import { findKeptCustomerId } from '#members'
import { OrNull } from '#resources'
import type { Surface } from '../../../shared/surface.ts'
import { jsonObject } from '../../fields.ts'
import { StoreParams, storeOf } from '../../store.ts'
import { customerFilter, namedCustomer } from '../loyalty-customer.ts'

const RulePreviewBody = Type.Object({
  id: Type.Integer({ description: 'The id of the rule' }),
  type: Type.String({ description: 'For what it rewards' }),
  name: Type.String({ description: 'Its name' }),
  outcome: Type.Unsafe<RulePreview['outcome']>({
    type: 'string',
    enum: [...PREVIEW_OUTCOMES],
    description: 'What comes of the order by it: `rewarded`, `counted` towards a reward, or why not'
  }),
  rewards: Type.Integer({ description: 'How often its reward would be given' }),
  points: Type.Integer({ description: 'The points of these rewards, after the multiplier of the tier' }),
  reward_text: Type.String({ description: 'What to do and what it gives' }),
  current: OrNull(Type.Integer({ description: 'How far the customer would be; null where it never ends' })),
  required: OrNull(Type.Integer({ description: 'What it needs; null where it never ends' })),
  percentage: OrNull(Type.Integer({ description: 'Rounded down, at most 100; null where it never ends' }))
})

const PreviewBody = Type.Object(
  {
    customer_id: OrNull(
      Type.String({ description: 'Whose order it would be; null: somebody of whom the store has nothing yet' })
    ),
    eligible: Type.Number({ description: 'What of the order counts for rules for all products' }),
    currency: Type.String({ description: 'Of the shop' }),
    points: Type.Integer({ description: 'The points of all rules' }),
    rules: Type.Array(RulePreviewBody, { description: 'The rules that count orders' })
  },
  {
    title: 'LoyaltyPreview',
    description: 'What an order would earn.',
    examples: [
      {
        customer_id: 'cust_24',
        eligible: 40,
        currency: 'USD',
        points: 500,
        rules: [
          {
            id: 12,
            type: 'goal_spend',
            name: 'Spend 100',
            outcome: 'rewarded',
            rewards: 1,
            points: 500,
            reward_text: 'Spend $100 in all and get 500 points',
            current: 115,
            required: 100,
            percentage: 100
          }
        ]
      }
    ]
  }
)

/** POST /stores/{store}/loyalty/preview */
export function previewOrderRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/loyalty/preview',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'previewLoyalty',
        summary: 'Preview what an order would earn',
        description:
          'By the code that earns, as if the order was placed and paid now: nothing is written. No store credit pays it, and it is no renewal. Rules that count no orders are left out.',
        params: StoreParams,
        body: Type.Object({
          customer: customerFilter('Whose order it would be; by default the customer of the order'),
          platform_order: jsonObject(
            'an order as in the message orders/create',
            'Only `currency` and `line_items` with `price`, `quantity` and `product_id` are needed',
            { currency: 'USD', line_items: [{ product_id: 7064055069370, price: '20.00', quantity: 2 }] }
          )
        }),
        response: { 200: PreviewBody }
      }
    },
    (request) => {
      const { platformProfile } = storeOf(request)
      const { customer, platform_order: given } = request.body
      return request.inStore(async (ctx) => {
        const order = readOrderToPreview(given, ctx.now)
        const memberId =
          customer === undefined
            ? await findKeptCustomerId(ctx, { memberId: null, platformId: order.customerId })
            : await namedCustomer(ctx, customer, platformProfile)
        return presentPreview(await previewOrder(ctx, order, memberId), memberId, order.currency)
      })
    }
  )
}

const presentPreview = (
  { eligibleMinor, points, rules }: OrderPreview,
  memberId: number | null,
  currency: string
): Static<typeof PreviewBody> => ({
  customer_id: memberId === null ? null : publicId('cust', memberId),
  eligible: numberOf(eligibleMinor, currency),
  currency,
  points,
  rules: rules.map(({ rule, outcome, rewards, points, completion }) => ({
    id: rule.id,
    type: rule.type.name,
    name: rule.name,
    outcome,
    rewards,
    points,
    reward_text: ruleSentence(rule),
    ...(completion ?? { current: null, required: null, percentage: null })
  }))
})
