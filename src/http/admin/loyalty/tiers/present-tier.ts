import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { entryRulesJson, type LoyaltyTier, type TierInput, tierRewardsJson } from '#loyalty'
import { Timestamp } from '#resources'
import { boolean, jsonObject, jsonValue, longText, text } from '../../fields.ts'
import { numberedParams } from '../../numbered.ts'
import { decimal } from '../loyalty-fields.ts'

export const TierParams = numberedParams('tier', 'a loyalty tier')

/** What an operator enters of a tier. */
export const tierFields = {
  name: text(255, 'a text of 1 to 255 characters', {
    meaning: 'Its name, which no other tier has',
    examples: ['Gold']
  }),
  description: longText('What customers read of it', 'For those who come often'),
  entry_rules: Type.Optional(
    jsonObject(
      'an object with points_earned, min_spend, min_orders',
      'What a customer needs to be in it, all of it; only the lowest tier may have none. Given whole',
      { min_spend: 500 }
    )
  ),
  reward_rules: Type.Optional(
    jsonObject(
      'an object with points, discount, shipping_discount',
      'What it gives on entering it: points, a percentage off an order, and with shipping_discount 100 free shipping. Given whole',
      { points: 100 }
    )
  ),
  multiplier_points: Type.Optional(
    decimal('a number above 0 to 100 with at most 2 decimals', 'Points are multiplied by it; 1 at first', 1.5)
  ),
  order: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'a whole number from 0 to 1000',
      meaning:
        'Its place among the tiers, which no other has; the lowest tier has the lowest. Above all others at first',
      examples: [2]
    })
  ),
  tag: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'a tag without a comma of at most 255 characters that does not begin with "SVC:"',
      meaning: 'The tag of its customers, which no other tier has; empty for none',
      examples: ['Gold']
    })
  ),
  is_active: boolean('Whether customers enter it; true at first')
}

export const TierBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    name: Type.String({ description: 'Its name' }),
    description: Type.String({ description: 'What customers read of it' }),
    entry_rules: jsonValue('What a customer needs to be in it'),
    reward_rules: jsonValue('What it gives'),
    multiplier_points: Type.Number({ description: 'Points are multiplied by it' }),
    order: Type.Integer({ description: 'Its place among the tiers' }),
    tag: Type.String({ description: 'The tag of its customers; empty for none' }),
    is_active: Type.Boolean({ description: 'Whether customers enter it' }),
    customers: Type.Integer({ description: 'How many customers are in it' }),
    created_at: Timestamp('When it was created'),
    updated_at: Timestamp('When it was last changed')
  },
  {
    title: 'LoyaltyTier',
    description: 'A tier of loyalty.',
    examples: [
      {
        id: 3,
        name: 'Gold',
        description: '',
        entry_rules: { min_spend: 500 },
        reward_rules: { points: 100 },
        multiplier_points: 1.5,
        order: 2,
        tag: 'Gold',
        is_active: true,
        customers: 24,
        created_at: '2026-11-20T04:00:00.000Z',
        updated_at: '2026-11-20T04:00:00.000Z'
      }
    ]
  }
)

/** `counts`: how many customers each tier has. */
export const presentTier = (tier: LoyaltyTier, counts: ReadonlyMap<number, number>): Static<typeof TierBody> => ({
  id: tier.id,
  name: tier.name,
  description: tier.description,
  entry_rules: entryRulesJson(tier),
  reward_rules: tierRewardsJson(tier),
  multiplier_points: tier.multiplierHundredths / 100,
  order: tier.place,
  tag: tier.tag,
  is_active: tier.isActive,
  customers: counts.get(tier.id) ?? 0,
  created_at: isoOf(tier.createdAt),
  updated_at: isoOf(tier.updatedAt)
})

type Given = {
  name?: string
  description?: string
  entry_rules?: object
  reward_rules?: object
  multiplier_points?: unknown
  order?: number
  tag?: string
  is_active?: boolean
}

/** What is given of a tier. */
export function tierChange(given: Given) {
  const { name, description, entry_rules, reward_rules, multiplier_points, order, tag, is_active } = given
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(entry_rules !== undefined && { entryRules: entry_rules }),
    ...(reward_rules !== undefined && { rewardRules: reward_rules }),
    ...(multiplier_points !== undefined && { multiplier: multiplier_points }),
    ...(order !== undefined && { place: order }),
    ...(tag !== undefined && { tag }),
    ...(is_active !== undefined && { isActive: is_active })
  } satisfies Partial<TierInput>
}
