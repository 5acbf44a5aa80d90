import { type Static, Type } from 'typebox'
import { commonRuleKeys, describeRuleTypes } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { DescribedKeyBody } from '../../described-key.ts'
import { jsonValue } from '../../fields.ts'

const RuleTypeBody = Type.Object(
  {
    type: Type.String({ description: 'The type' }),
    kind: Type.String({ description: '`type` of the rule in the metafield `svc_loyalty_rules`' }),
    help: Type.String({ description: 'For what it rewards' }),
    rules: Type.Array(DescribedKeyBody, { description: 'The keys of `rules`, the common ones at the end' }),
    rewards: Type.Array(
      Type.Object({
        reward_type: Type.String({ description: 'The kind of the reward' }),
        help: Type.String({ description: 'What it gives' }),
        keys: Type.Array(DescribedKeyBody, { description: 'The keys of `reward_rules` beside `reward_type`' })
      }),
      { description: 'What it may give' }
    ),
    example: Type.Object(
      { rules: jsonValue('Its `rules`'), reward_rules: jsonValue('Its `reward_rules`') },
      { description: 'What could be entered' }
    ),
    sentence: Type.String({ description: 'The sentence of the example, in dollars' })
  },
  {
    title: 'LoyaltyRuleType',
    description: 'A type of loyalty rules with its keys.',
    examples: [
      {
        type: 'goal_spend',
        kind: 'earn_points',
        help: 'A reward for who has spent an amount in all.',
        rules: [
          {
            key: 'goal_amount',
            accepts: 'an amount above 0',
            meaning: 'What has to be spent in all',
            default: null,
            schema: { type: 'number', exclusiveMinimum: 0 }
          }
        ],
        rewards: [{ reward_type: 'points', help: 'Points.', keys: [] }],
        example: { rules: { goal_amount: 100 }, reward_rules: { reward_type: 'points', amount: 500 } },
        sentence: 'Spend $100 in all and get 500 points'
      }
    ]
  }
)

/** GET /loyalty/rule-types */
export function listRuleTypesRoute(admin: Surface): void {
  admin.get(
    '/loyalty/rule-types',
    {
      config: { allow: 'view', forStaff: true },
      schema: {
        operationId: 'listLoyaltyRuleTypes',
        summary: 'List the types of loyalty rules',
        description: 'Each with the keys of its `rules` and of the rewards that it may give.',
        response: {
          200: Type.Object({ data: Type.Array(RuleTypeBody, { description: 'The types, in order of their names' }) })
        }
      }
    },
    async () => ({ data: ruleTypes() })
  )
}

const ruleTypes = (): Static<typeof RuleTypeBody>[] =>
  describeRuleTypes().map(({ keys, rewards, example, ...type }) => ({
    ...type,
    rules: [...keys, ...commonRuleKeys()],
    rewards: rewards.map(({ rewardType, ...reward }) => ({ reward_type: rewardType, ...reward })),
    example: { rules: { ...example.rules }, reward_rules: { ...example.reward_rules } }
  }))
