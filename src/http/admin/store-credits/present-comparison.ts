import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { numberOf } from '#kit/money'
import { Amount, OrNull, Timestamp } from '#resources'
import type { ComparedCredit } from '#spending'

const GiftCard = Type.Object(
  {
    last_characters: Type.String({ description: 'The last characters of its code' }),
    balance: OrNull(Amount('What it has on the platform; null where it could not be read')),
    created_at: Timestamp('When it was made'),
    notified_at: OrNull(Timestamp('When the platform was asked to send it to the customer'))
  },
  { description: "The gift card with the customer's credit, without its code; null where there is none" }
)

/** How a customer's credit on the platform compares with the ledger. */
export const comparisonFields = {
  way: OrNull(Type.String({ description: 'How the customer spends credit, by the plan; null without a plan' })),
  available: Amount('What the customer can spend, by the ledger'),
  on_platform: OrNull(
    Amount('What the account and the gift card on the platform have; null where they could not be read')
  ),
  in_step: OrNull(
    Type.Boolean({
      description:
        'Whether the platform has what it should, where it can be spent: all that is available with `storecredit` and `giftcard`, else nothing; false for a gift card that is deactivated or has expired. Null where it could not be read'
    })
  ),
  gift_card: OrNull(GiftCard),
  waits: OrNull(
    Type.String({
      description:
        "From when on, by the store's clock, the account is to be compared; the present where that is under way, or where a change is still to be followed. Null where nothing waits"
    })
  ),
  problem: OrNull(Type.String({ description: 'Why the account is not as it should be' }))
}

const Comparison = Type.Object(comparisonFields)

export const comparisonExample: Static<typeof Comparison> = {
  way: 'giftcard',
  available: 15,
  on_platform: 15,
  in_step: true,
  gift_card: {
    last_characters: 'vkc9',
    balance: 15,
    created_at: '2026-09-15T05:25:00.000Z',
    notified_at: '2026-09-15T05:25:00.000Z'
  },
  waits: null,
  problem: null
}

export function presentComparison(compared: ComparedCredit, currency: string): Static<typeof Comparison> {
  const { way, availableMinor, platformMinor, isInStep, card, waits, problem } = compared
  const money = (minor: number | null) => (minor === null ? null : numberOf(minor, currency))
  return {
    way,
    available: numberOf(availableMinor, currency),
    on_platform: money(platformMinor),
    in_step: isInStep,
    gift_card: card && {
      last_characters: card.lastCharacters,
      balance: money(card.balanceMinor),
      created_at: isoOf(card.createdAt),
      notified_at: isoOrNull(card.notifiedAt)
    },
    waits,
    problem
  }
}
