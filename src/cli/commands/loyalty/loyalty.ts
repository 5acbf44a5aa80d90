import type { Command } from 'commander'
import type { Terminal } from '../../command.ts'
import { addCouponCommands } from './coupons.ts'
import { addLoyaltyCustomerCommands } from './customers.ts'
import { addLoyaltyImportCommand } from './import.ts'
import { addPreviewCommand } from './preview.ts'
import { addReceiptCommands } from './receipts.ts'
import { addReferralCommands } from './referrals.ts'
import { addRuleCommands } from './rules.ts'
import { addSubscriptionRewardCommands } from './subscription-rewards.ts'
import { addTemplateCommands } from './templates.ts'
import { addTierCommands } from './tiers.ts'

/** For what customers earn, the tiers that they reach, and what points can buy. */
export function addLoyaltyCommands(program: Command, terminal: Terminal): void {
  const loyalty = program
    .command('loyalty')
    .description(
      'rules, tiers, coupon templates, coupons, referrals and receipts of loyalty, and what customers have earned'
    )
  addRuleCommands(loyalty, terminal)
  addTierCommands(loyalty, terminal)
  addTemplateCommands(loyalty, terminal)
  addCouponCommands(loyalty, terminal)
  addReferralCommands(loyalty, terminal)
  addReceiptCommands(loyalty, terminal)
  addSubscriptionRewardCommands(loyalty, terminal)
  addLoyaltyCustomerCommands(loyalty, terminal)
  addPreviewCommand(loyalty, terminal)
  addLoyaltyImportCommand(loyalty, terminal)
}
