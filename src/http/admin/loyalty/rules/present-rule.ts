import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import {
  type LoyaltyRule,
  RULE_TYPE_NAMES,
  type RuleInput,
  rewardJson,
  ruleRequired,
  ruleSentence,
  rulesJson
} from '#loyalty'
import { OrNull, Timestamp } from '#resources'
import { boolean, jsonObject, jsonValue, longText, oneOf, text } from '../../fields.ts'
import { numberedParams } from '../../numbered.ts'
import { dayField, dayOf, dayOrNullField } from '../loyalty-fields.ts'

export const RuleParams = numberedParams('rule', 'a loyalty rule')

export const ruleType = () =>
  oneOf(RULE_TYPE_NAMES, { meaning: 'For what it rewards; it never changes', examples: ['goal_spend'] })

/** What an operator enters of a rule, besides its type. */
export const ruleFields = {
  name: text(255, 'a text of 1 to 255 characters', { meaning: 'Its name', examples: ['Spend 100'] }),
  description: longText('What customers read of it', 'Ends with the year'),
  rules: jsonObject(
    'an object with the keys of its type',
    'When it rewards: [the keys of each type](loyalty.md#rules); given whole',
    { goal_amount: 100 }
  ),
  reward_rules: jsonObject(
    'an object with reward_type and the keys of that reward',
    'What it gives: [the rewards](loyalty.md#rewards); given whole',
    { reward_type: 'points', amount: 500 }
  ),
  enabled: boolean('Whether it rewards; true at first'),
  start_date: dayField('Its first day in the time zone of the shop; the present day by default', '2026-11-27'),
  end_date: dayOrNullField('Its last day in the time zone of the shop; null: it has none', '2026-12-31')
}

export const RuleBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    status: Type.Integer({ description: '1 while it is enabled and within its dates, else 0' }),
    type: Type.String({ description: 'For what it rewards' }),
    name: Type.String({ description: 'Its name' }),
    description: Type.String({ description: 'What customers read of it' }),
    rules: jsonValue('When it rewards, with the defaults of what was left out'),
    reward_rules: jsonValue('What it gives'),
    reward_text: Type.String({ description: 'What to do and what it gives, in a sentence' }),
    required: OrNull(Type.Integer({ description: 'What the progress of a customer needs; null where it never ends' })),
    enabled: Type.Boolean({ description: 'Whether it rewards' }),
    start_date: Type.String({ format: 'date', description: 'Its first day in the time zone of the shop' }),
    end_date: OrNull(Type.String({ format: 'date', description: 'Its last day; null: it has none' })),
    created_at: Timestamp('When it was created'),
    updated_at: Timestamp('When it was last changed')
  },
  {
    title: 'LoyaltyRule',
    description: 'For what customers earn points and rewards.',
    examples: [
      {
        id: 12,
        status: 1,
        type: 'goal_spend',
        name: 'Spend 100',
        description: '',
        rules: {
          goal_amount: 100,
          customer_settings: { apply_to: 'all', action: 'include', tags: [] },
          product_ids: [],
          collection_ids: [],
          tier_ids: []
        },
        reward_rules: { reward_type: 'points', amount: 500, message: '' },
        reward_text: 'Spend $100 in all and get 500 points',
        required: 100,
        enabled: true,
        start_date: '2026-11-27',
        end_date: null,
        created_at: '2026-11-20T04:00:00.000Z',
        updated_at: '2026-11-20T04:00:00.000Z'
      }
    ]
  }
)

export const presentRule = (rule: LoyaltyRule): Static<typeof RuleBody> => ({
  id: rule.id,
  status: rule.isActive ? 1 : 0,
  type: rule.type.name,
  name: rule.name,
  description: rule.description,
  rules: rulesJson(rule),
  reward_rules: rewardJson(rule),
  reward_text: ruleSentence(rule),
  required: ruleRequired(rule),
  enabled: rule.isEnabled,
  start_date: String(rule.startsOn),
  end_date: rule.endsOn && String(rule.endsOn),
  created_at: isoOf(rule.createdAt),
  updated_at: isoOf(rule.updatedAt)
})

type Given = {
  name?: string
  description?: string
  rules?: object
  reward_rules?: object
  enabled?: boolean
  start_date?: string
  end_date?: string | null
}

/** What is given of a rule. */
export function ruleChange({ name, description, rules, reward_rules, enabled, start_date, end_date }: Given) {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(rules !== undefined && { rules }),
    ...(reward_rules !== undefined && { rewardRules: reward_rules }),
    ...(enabled !== undefined && { isEnabled: enabled }),
    ...(start_date !== undefined && { startsOn: dayOf(start_date)! }),
    ...(end_date !== undefined && { endsOn: end_date === null ? null : dayOf(end_date) })
  } satisfies Partial<RuleInput>
}
