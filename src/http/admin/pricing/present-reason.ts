import { type Static, Type } from 'typebox'
import { decimalOf, numberOf } from '#kit/money'
import { explainReason } from '#plans/pricing'
import { oneOf } from '../fields.ts'

/** Why something costs what it costs. */
export type Reason = Parameters<typeof explainReason>[0]

/** A reason: its code, and the same in words and as numbers. */
export const ReasonBody = (description: string) =>
  Type.Object(
    {
      code: Type.String({ description: 'For programs; `docs/pricing.md` has examples of each' }),
      message: Type.String({ description: 'The same in words, with its numbers' }),
      details: Type.Object(
        {
          reduction: Type.Optional(
            Type.Object(
              {
                percent: Type.Optional(Type.Number({ description: 'In percent' })),
                amount: Type.Optional(Type.Number({ description: 'Of money' }))
              },
              { description: 'What a piece is reduced by: one of the two' }
            )
          ),
          base: Type.Optional(oneOf(['price', 'compare_at'], { description: 'Off which price' })),
          base_price: Type.Optional(Type.Number({ description: 'That price' })),
          member_price: Type.Optional(Type.Number({ description: 'What a piece would cost a member' })),
          quantity: Type.Optional(Type.Integer({ description: 'From how many pieces the step holds' })),
          eligible_pieces: Type.Optional(Type.Integer({ description: 'How many pieces of the cart count for it' })),
          percent: Type.Optional(Type.Number({ description: 'The percentage that recurring charges have' })),
          given: Type.Optional(Type.Number({ description: 'The percentage that was entered' })),
          countries: Type.Optional(Type.Array(Type.String(), { description: 'Where it holds' })),
          country: Type.Optional(Type.String({ description: 'Where the cart goes' })),
          items: Type.Optional(Type.Integer({ description: 'How many items it needs' })),
          counted: Type.Optional(Type.Integer({ description: 'How many items count' })),
          amount: Type.Optional(Type.Number({ description: 'What it needs after discounts' })),
          counted_amount: Type.Optional(Type.Number({ description: 'What counts' })),
          method: Type.Optional(Type.String({ description: 'The shipping method of the cart' })),
          method_name: Type.Optional(Type.String({ description: 'The one that is free' }))
        },
        { description: 'Its numbers, as far as the code has any' }
      )
    },
    { description }
  )

export function presentReason(reason: Reason, currency: string): Static<ReturnType<typeof ReasonBody>> {
  return {
    code: reason.code,
    message: explainReason(reason, (minor) => decimalOf(minor, currency)),
    details: detailsOf(reason, (minor) => numberOf(minor, currency))
  }
}

/** The numbers of a reason, as far as it has any. */
function detailsOf(reason: Reason, money: (minor: number) => number): Static<ReturnType<typeof ReasonBody>>['details'] {
  switch (reason.code) {
    case 'member_price':
    case 'step_price':
      return {
        reduction: reductionOf(reason.reduction, money),
        base: reason.base,
        base_price: money(reason.baseMinor),
        ...(reason.code === 'step_price' && { quantity: reason.quantity, eligible_pieces: reason.eligiblePieces })
      }
    case 'sale_price_lower':
      return {
        reduction: reductionOf(reason.reduction, money),
        base_price: money(reason.baseMinor),
        member_price: money(reason.memberPriceMinor)
      }
    case 'rounds_to_nothing':
    case 'no_fixed_amount':
    case 'welcome_offer':
      return { reduction: reductionOf(reason.reduction, money) }
    case 'whole_percent':
      return { percent: reason.percent, given: reason.given }
    case 'country_unknown':
      return { countries: [...reason.countries] }
    case 'other_country':
      return { countries: [...reason.countries], country: reason.country }
    case 'too_few_items':
      return { items: reason.items, counted: reason.counted }
    case 'subtotal_too_low':
      return { amount: money(reason.amountMinor), counted_amount: money(reason.countedMinor) }
    case 'other_method':
      return { method: reason.method, method_name: reason.methodName }
    default:
      return {}
  }
}

const reductionOf = (
  reduction: Extract<Reason, { reduction: unknown }>['reduction'],
  money: (minor: number) => number
) => (reduction.type === 'fixed' ? { amount: money(reduction.amountMinor) } : { percent: reduction.percent })
