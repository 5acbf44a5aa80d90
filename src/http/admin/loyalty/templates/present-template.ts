import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { type LoyaltyTemplate, TEMPLATE_TYPES, type TemplateInput, templateRulesJson } from '#loyalty'
import { OrNull, Timestamp } from '#resources'
import { boolean, jsonObject, jsonValue, oneOf, secondOrNull, text, timeOrNull } from '../../fields.ts'
import { numberedParams } from '../../numbered.ts'

export const TemplateParams = numberedParams('template', 'a coupon template')

/** What an operator enters of a template. */
export const templateFields = {
  name: text(255, 'a text of 1 to 255 characters', { meaning: 'Its name', examples: ['$5 off'] }),
  type: oneOf(TEMPLATE_TYPES, { meaning: 'What the coupon takes off', examples: ['fixed_amount'] }),
  rules: jsonObject(
    'an object with amount, applies_to, product_ids, collection_ids, minimum_subtotal, expires_after_days',
    'How much it takes off, and where: [the keys](loyalty.md#coupon-templates); given whole',
    { amount: 5, minimum_subtotal: 30 }
  ),
  required_points: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'a whole number from 1 to 1000000000',
    meaning: 'Its price in points',
    examples: [500]
  }),
  discount_code_prefix: Type.Optional(
    Type.String({
      maxLength: 20,
      description: 'at most 20 letters, digits, - or _',
      meaning: 'How its codes begin',
      examples: ['PTS-']
    })
  ),
  enabled: boolean('Whether points buy it; true at first'),
  starts_at: timeOrNull('When it begins, by the clock of the store; null: at once', '2026-11-27T08:00:00Z'),
  ends_at: timeOrNull('When it ends, by the clock of the store; null: never', '2026-11-30T08:00:00Z')
}

export const TemplateBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    status: Type.Integer({ description: '1 while it is enabled and within its dates, else 0' }),
    name: Type.String({ description: 'Its name' }),
    type: Type.String({ description: 'What the coupon takes off' }),
    rules: jsonValue('How much it takes off, and where'),
    required_points: Type.Integer({ description: 'Its price in points' }),
    discount_code_prefix: Type.String({ description: 'How its codes begin' }),
    enabled: Type.Boolean({ description: 'Whether points buy it' }),
    starts_at: OrNull(Timestamp('When it begins; null: at once')),
    ends_at: OrNull(Timestamp('When it ends; null: never')),
    created_at: Timestamp('When it was created'),
    updated_at: Timestamp('When it was last changed')
  },
  {
    title: 'LoyaltyTemplate',
    description: 'A coupon that points can buy.',
    examples: [
      {
        id: 7,
        status: 1,
        name: '$5 off',
        type: 'fixed_amount',
        rules: {
          amount: 5,
          applies_to: 'all',
          product_ids: [],
          collection_ids: [],
          minimum_subtotal: 30,
          expires_after_days: null
        },
        required_points: 500,
        discount_code_prefix: 'PTS-',
        enabled: true,
        starts_at: null,
        ends_at: null,
        created_at: '2026-11-20T04:00:00.000Z',
        updated_at: '2026-11-20T04:00:00.000Z'
      }
    ]
  }
)

export const presentTemplate = (one: LoyaltyTemplate): Static<typeof TemplateBody> => ({
  id: one.id,
  status: one.isActive ? 1 : 0,
  name: one.name,
  type: one.type,
  rules: templateRulesJson(one),
  required_points: one.requiredPoints,
  discount_code_prefix: one.codePrefix,
  enabled: one.isEnabled,
  starts_at: isoOrNull(one.startsAt),
  ends_at: isoOrNull(one.endsAt),
  created_at: isoOf(one.createdAt),
  updated_at: isoOf(one.updatedAt)
})

type Given = {
  name?: string
  type?: LoyaltyTemplate['type']
  rules?: object
  required_points?: number
  discount_code_prefix?: string
  enabled?: boolean
  starts_at?: string | null
  ends_at?: string | null
}

/** What is given of a template. */
export function templateChange(given: Given) {
  const { name, type, rules, required_points, discount_code_prefix, enabled, starts_at, ends_at } = given
  return {
    ...(name !== undefined && { name }),
    ...(type !== undefined && { type }),
    ...(rules !== undefined && { rules }),
    ...(required_points !== undefined && { requiredPoints: required_points }),
    ...(discount_code_prefix !== undefined && { codePrefix: discount_code_prefix }),
    ...(enabled !== undefined && { isEnabled: enabled }),
    ...(starts_at !== undefined && { startsAt: secondOrNull('starts_at', starts_at) }),
    ...(ends_at !== undefined && { endsAt: secondOrNull('ends_at', ends_at) })
  } satisfies Partial<TemplateInput>
}
