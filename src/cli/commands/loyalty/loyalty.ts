import type { Command } from 'commander'
import type { Terminal } from '../../command.ts'
import { addCouponCommands } from './coupons.ts'
import { addLoyaltyCustomerCommands } from './customers.ts'
import { addRuleCommands } from './rules.ts'
import { addSubscriptionRewardCommands } from './subscription-rewards.ts'
import { addTemplateCommands } from './templates.ts'
import { addTierCommands } from './tiers.ts'

/** For what customers earn, the tiers that they reach, and what points can buy. */
export function addLoyaltyCommands(program: Command, terminal: Terminal): void {
  const loyalty = program
    .command('loyalty')
    .description('rules, tiers, coupon templates and coupons of loyalty, and what customers have earned')
  addRuleCommands(loyalty, terminal)
  addTierCommands(loyalty, terminal)
  addTemplateCommands(loyalty, terminal)
  addCouponCommands(loyalty, terminal)
  addSubscriptionRewardCommands(loyalty, terminal)
  addLoyaltyCustomerCommands(loyalty, terminal)
}
