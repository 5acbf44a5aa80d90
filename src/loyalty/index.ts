export { takeWaitingOrders } from './collections/collections-of-orders.ts'
export { COUPON_TYPES, type Coupon, type CouponType } from './coupons/coupon.ts'
export { type CouponFilter, findCoupon, listCoupons } from './coupons/coupon-queries.ts'
export { countCouponUses, endCoupon, markCouponsDeleted } from './coupons/end-coupons.ts'
export { redeemTemplate } from './coupons/redeem-template.ts'
export { countByTier } from './customer-tiers/customer-tier-queries.ts'
export { placeCustomers } from './customer-tiers/place-customers.ts'
export { listTierCustomers, listTierTags } from './customer-tiers/tier-tags.ts'
export { loyaltyConsumer } from './earning/count-on-facts.ts'
export { type EarningOrder, earnForOrders } from './earning/earn-for-orders.ts'
export { transferLoyalty } from './earning/transfer-loyalty.ts'
export { followLoyaltySettings } from './follow-settings.ts'
export { importLoyalty } from './import/import-loyalty.ts'
export { isLoyaltyOn } from './is-loyalty-on.ts'
export { type OrderPreview, PREVIEW_OUTCOMES, previewOrder, type RulePreview } from './preview/preview-order.ts'
export { readOrderToPreview } from './preview/read-order.ts'
export { type CustomerLoyalty, findCustomerLoyalty } from './progress/customer-loyalty.ts'
export { RuleCache } from './progress/rule-cache.ts'
export {
  getRuleWithProgress,
  listRulesWithProgress,
  type RuleWithProgress,
  type Viewer
} from './progress/rules-with-progress.ts'
export { publishedLoyalty } from './published-loyalty.ts'
export {
  ACCEPTED_FILE,
  CONTENT_TYPES,
  type ContentType,
  checkContent,
  MAX_FILE_BYTES
} from './receipts/content/check-content.ts'
export { approveReceipt, refuseReceipt } from './receipts/decide-receipt.ts'
export { RECEIPT_STATUSES, type Receipt } from './receipts/receipt.ts'
export { createDiskFiles, type ReceiptFiles } from './receipts/receipt-files.ts'
export { findReceipt, listReceipts } from './receipts/receipt-queries.ts'
export { receiptNotFound } from './receipts/receipt-refusals.ts'
export { type ReceiptUpload, receiveReceipt } from './receipts/receive-receipt.ts'
export { forgetDiscounts } from './referral-codes/program-queries.ts'
export { followReferrals } from './referrals/follow-referrals.ts'
export { REFERRAL_STATUSES, type Referral } from './referrals/referral.ts'
export { listReferrals, listReferrersOf } from './referrals/referral-queries.ts'
export { transferReferrals } from './referrals/transfer-referrals.ts'
export {
  couponNotFound,
  loyaltyRuleNotFound,
  loyaltyTemplateNotFound,
  loyaltyTierNotFound,
  subscriptionRewardNotFound
} from './refusals.ts'
export { type EventOutcome, reportEvent } from './reports/report-event.ts'
export { visitPage } from './reports/visit-page.ts'
export { retryDeniedLoyalty } from './retry-denied.ts'
export { archiveRule, createRule, type RuleInput, updateRule } from './rules/change-rules.ts'
export { commonRuleKeys, describeRuleTypes } from './rules/describe-rule-types.ts'
export { type LoyaltyRule, rewardJson, ruleRequired, ruleSentence, rulesJson } from './rules/rule.ts'
export { getRule, listRules, recheckRuleDates } from './rules/rule-queries.ts'
export { RULE_TYPE_NAMES, type RuleTypeName } from './rules/rule-types.ts'
export { loyaltyRulesField, MAX_RULES } from './rules/rules-field.ts'
export {
  endSubscriptionReward,
  listSubscriptionRewards,
  type SubscriptionReward
} from './subscription-rewards/subscription-rewards.ts'
export { createTemplate, type TemplateInput, updateTemplate } from './templates/change-templates.ts'
export { type LoyaltyTemplate, templateRulesJson } from './templates/template.ts'
export { TEMPLATE_TYPES } from './templates/template-fields.ts'
export { getTemplate, listTemplates } from './templates/template-queries.ts'
export { loyaltyTemplatesField, MAX_TEMPLATES } from './templates/templates-field.ts'
export { createTier, type TierInput, updateTier } from './tiers/change-tiers.ts'
export { entryRulesJson, type LoyaltyTier, tierRewardsJson } from './tiers/tier.ts'
export { getTier, listTiers } from './tiers/tier-queries.ts'
export { nextOrdersForTiers } from './tiers/tier-stores.ts'
export { loyaltyTiersField, MAX_TIERS } from './tiers/tiers-field.ts'
