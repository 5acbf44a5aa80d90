import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { decimalOf } from '#kit/money'
import type { SubscriptionReward } from '#loyalty'
import { OrNull, Timestamp } from '#resources'

const optional = (description: string) => OrNull(Type.String({ description }))

export const SubscriptionRewardBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    status: Type.String({
      description:
        '`pending` until its contract has it, `active`, or `ended`. One that is pending without a subscription waits for one'
    }),
    ended_by: optional('Why it ended: `used`, `revoked` here, `removed` on the platform, or `refused` by it'),
    customer_id: Type.String({ description: 'Whose it is' }),
    platform_customer_id: Type.String({ description: "The platform's number of the customer" }),
    rule_id: Type.Integer({ description: 'The rule whose reward it is' }),
    name: Type.String({ description: 'Of the rule, when it gave it' }),
    subscription_id: optional('Whose contract has it; null while it waits for one'),
    type: Type.String({ description: '`discount` or `free_product`' }),
    percentage: OrNull(Type.Integer({ description: 'The whole percentage that it takes off each renewal' })),
    amount: optional('The amount that it takes off each renewal; a decimal'),
    product_id: optional('The product of which one piece costs nothing with each renewal'),
    cycles: Type.Integer({ description: 'For how many renewals it is' }),
    used_cycles: Type.Integer({ description: 'How many renewals had it' }),
    is_on_contract: Type.Boolean({ description: "Whether the platform's contract has it, as far as is known" }),
    problem: optional('Why the platform did not give it'),
    created_at: Timestamp('When it was earned'),
    updated_at: Timestamp('When it last changed')
  },
  {
    title: 'LoyaltySubscriptionReward',
    description: 'What a rule has given on renewals of a subscription of the customer.',
    examples: [
      {
        id: 12,
        status: 'active',
        ended_by: null,
        customer_id: 'cust_24',
        platform_customer_id: '7064055069370',
        rule_id: 3,
        name: 'Tenth renewal',
        subscription_id: 'sub_81',
        type: 'discount',
        percentage: 20,
        amount: null,
        product_id: null,
        cycles: 2,
        used_cycles: 1,
        is_on_contract: true,
        problem: null,
        created_at: '2026-11-20T04:00:00.000Z',
        updated_at: '2026-11-20T04:00:01.000Z'
      }
    ]
  }
)

export function presentSubscriptionReward(
  reward: SubscriptionReward,
  currency: string
): Static<typeof SubscriptionRewardBody> {
  const { subscriptionId, amountMinor } = reward
  return {
    id: reward.id,
    status: reward.status,
    ended_by: reward.endedBy,
    customer_id: publicId('cust', reward.memberId),
    platform_customer_id: reward.customerId,
    rule_id: reward.ruleId,
    name: reward.label,
    subscription_id: subscriptionId === null ? null : publicId('sub', subscriptionId),
    type: reward.kind,
    percentage: reward.percent,
    amount: amountMinor === null ? null : decimalOf(amountMinor, currency),
    product_id: reward.productId,
    cycles: reward.cycles,
    used_cycles: reward.usedCycles,
    is_on_contract: reward.isOn,
    problem: reward.problem,
    created_at: isoOf(reward.createdAt),
    updated_at: isoOf(reward.updatedAt)
  }
}
