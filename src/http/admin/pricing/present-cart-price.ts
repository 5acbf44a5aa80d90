import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { Plan } from '#plans'
import type { Cart, CartPrice, PricingContext } from '#plans/pricing'
import { OrNull } from '#resources'
import { oneOf } from '../fields.ts'
import { presentReason, type Reason, ReasonBody } from './present-reason.ts'

const LineBody = Type.Object(
  {
    id: Type.String({ description: "The line's own id" }),
    product_id: Type.String({ description: "The platform's number of the product" }),
    quantity: Type.Integer({ description: 'How many pieces' }),
    price: Type.Number({ description: 'Of one piece, before' }),
    member_price: Type.Number({ description: 'Of one piece, without the welcome offer; `price` where there is none' }),
    discounts: Type.Array(
      Type.Object({
        kind: oneOf(['member_price', 'welcome_offer'], { description: 'Which perk' }),
        label: Type.String({ description: "What the cart calls it: the tier's name" }),
        pieces: Type.Integer({ description: 'Off how many pieces: all, or one for the welcome offer' }),
        each: Type.Number({ description: 'Off each of them' }),
        amount: Type.Number({ description: 'In all' })
      }),
      { description: 'What is taken off; empty for nothing' }
    ),
    discount: Type.Number({ description: 'What is taken off the line, in all' }),
    total: Type.Number({ description: 'What the line costs' }),
    reasons: Type.Array(ReasonBody('A reason'), { description: 'Why it costs that' })
  },
  { description: 'A line of the cart' }
)

export const CartPriceBody = Type.Object(
  {
    tier: { ...OrNull(oneOf(['elite', 'vip'])), description: 'Whose perks count; null for nobody’s' },
    plan_id: { ...OrNull(Type.String()), description: 'The plan whose perks these are' },
    active_tiers: Type.Array(Type.String(), { description: 'The active memberships that the customer holds' }),
    held_membership: Type.Boolean({ description: 'Whether the customer holds or held a membership' }),
    currency: Type.String({ description: 'ISO 4217' }),
    subtotal: Type.Number({ description: 'All lines, before discounts' }),
    discount: Type.Number({ description: 'What is taken off the lines' }),
    total: Type.Number({ description: 'What the lines cost; without shipping' }),
    eligible_pieces: Type.Integer({ description: 'The pieces that steps count' }),
    lines: Type.Array(LineBody, { description: 'In the order of the cart' }),
    welcome_offer: Type.Object(
      {
        line_id: { ...OrNull(Type.String()), description: 'The line that has it; null for none' },
        reason: ReasonBody('Why')
      },
      { description: 'The welcome offer' }
    ),
    shipping: Type.Object(
      {
        is_free: Type.Boolean({ description: 'Whether the method of `method_name` is free, or every one' }),
        method_name: { ...OrNull(Type.String()), description: 'The only method that is free; null for every one' },
        message: { ...OrNull(Type.String()), description: 'What the checkout says about it' },
        discount: Type.Number({ description: 'Off the method of the cart' }),
        reason: ReasonBody('Why')
      },
      { description: 'Free shipping' }
    )
  },
  {
    title: 'CartPrice',
    description: 'What a cart costs, and why: docs/pricing.md has the rules.',
    examples: [
      {
        tier: 'vip',
        plan_id: 'plan_3',
        active_tiers: ['vip'],
        held_membership: true,
        currency: 'EUR',
        subtotal: 20,
        discount: 4,
        total: 16,
        eligible_pieces: 2,
        lines: [
          {
            id: '1',
            product_id: '7064055069311',
            quantity: 2,
            price: 10,
            member_price: 8,
            discounts: [{ kind: 'member_price', label: 'VIP', pieces: 2, each: 2, amount: 4 }],
            discount: 4,
            total: 16,
            reasons: [
              {
                code: 'member_price',
                message: '20% off the price 10.00',
                details: { reduction: { percent: 20 }, base: 'price', base_price: 10 }
              }
            ]
          }
        ],
        welcome_offer: {
          line_id: null,
          reason: { code: 'no_welcome_offer', message: 'the plan has no welcome offer', details: {} }
        },
        shipping: {
          is_free: false,
          method_name: null,
          message: null,
          discount: 0,
          reason: { code: 'no_free_shipping', message: 'the plan has no free shipping', details: {} }
        }
      }
    ]
  }
)

/** `plan` is the one whose perks count. */
export function presentCartPrice(
  price: CartPrice,
  {
    cart,
    member,
    plan,
    currency
  }: { cart: Cart; member: PricingContext['member']; plan: Plan | null; currency: string }
): Static<typeof CartPriceBody> {
  const money = (minor: number) => numberOf(minor, currency)
  const explained = (reason: Reason) => presentReason(reason, currency)
  const { welcomeOffer, shipping } = price
  return {
    tier: price.tier,
    plan_id: plan && publicId('plan', plan.id),
    active_tiers: [...(member?.activeTiers ?? [])].sort(),
    held_membership: member !== null && (member.heldMembership || member.activeTiers.length > 0),
    currency,
    subtotal: money(price.subtotalMinor),
    discount: money(price.discountMinor),
    total: money(price.totalMinor),
    eligible_pieces: price.eligiblePieces,
    lines: price.lines.map((line, i) => ({
      id: line.id,
      product_id: cart.lines[i]!.productId,
      quantity: line.quantity,
      price: money(line.priceMinor),
      member_price: money(line.memberPriceMinor),
      discounts: line.discounts.map(({ kind, label, pieces, pieceMinor, amountMinor }) => ({
        kind,
        label,
        pieces,
        each: money(pieceMinor),
        amount: money(amountMinor)
      })),
      discount: money(line.discountMinor),
      total: money(line.totalMinor),
      reasons: line.reasons.map(explained)
    })),
    welcome_offer: { line_id: welcomeOffer.lineId, reason: explained(welcomeOffer.reason) },
    shipping: {
      is_free: shipping.isFree,
      method_name: shipping.methodName,
      message: shipping.message,
      discount: money(shipping.discountMinor),
      reason: explained(shipping.reason)
    }
  }
}
