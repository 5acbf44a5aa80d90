import { type Static, Type } from 'typebox'
import type { RuleWithProgress } from '#loyalty'
import { OrNull } from '#resources'

const json = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })

const Progress = Type.Object(
  {
    current: Type.Integer({ description: 'How far the customer is: times, or whole units of money' }),
    required: Type.Integer({ description: 'How much it needs; 1 of what is done once, or once a year' }),
    percentage: Type.Integer({ description: 'Rounded down, at most 100' })
  },
  {
    title: 'CompletionProgress',
    description: 'How far the customer who is logged in is with a rule.',
    examples: [{ current: 49, required: 100, percentage: 49 }]
  }
)

/** A rule of the Loyalty API (spec 2, Loyalty rule). */
export const RuleBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    status: Type.Integer({ description: '1 while it is enabled and within its dates, else 0' }),
    type: Type.String({ description: 'For what it rewards' }),
    name: Type.String({ description: 'Its name' }),
    description: Type.String({ description: 'What customers read of it' }),
    rules: json('When it rewards, with the keys of its type'),
    reward_rules: json('What it gives'),
    start_date: Type.String({ format: 'date', description: 'Its first day in the time zone of the shop' }),
    end_date: OrNull(Type.String({ format: 'date', description: 'Its last day; null: it has none' })),
    completion_progress: OrNull(Progress)
  },
  {
    title: 'LoyaltyRule',
    description:
      'For what customers earn points and rewards. `completion_progress` is null where nobody is logged in, and for a rule that never ends.',
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
        start_date: '2026-11-27',
        end_date: null,
        completion_progress: { current: 49, required: 100, percentage: 49 }
      }
    ]
  }
)

export const presentRule = ({
  rule,
  rulesJson,
  rewardJson,
  completion
}: RuleWithProgress): Static<typeof RuleBody> => ({
  id: rule.id,
  status: statusOf(rule),
  type: rule.type.name,
  name: rule.name,
  description: rule.description,
  rules: rulesJson,
  reward_rules: rewardJson,
  start_date: String(rule.startsOn),
  end_date: rule.endsOn && String(rule.endsOn),
  completion_progress: completion
})

/** By the store's clock. */
export const statusOf = ({ isActive }: { isActive: boolean }): 0 | 1 => (isActive ? 1 : 0)
