// Every section of a store's settings, one line each. The admin API, `perennial store settings` and docs/settings.md are
// made from these; the module that declares a section reads it with `settingsOf` of #stores.
export { actionRequiredSettings, dunningSettings } from '#billing/settings'
export { customerActionSettings, reactivationGraceSettings } from '#lifecycle/settings'
export { loyaltySettings } from '#loyalty/settings'
export { discountSettings } from '#mirror/settings'
export { disputeSettings } from '#order-effects/settings'
export { brandSettings } from '#orders/settings'
export { mainPlanSettings } from '#plans/settings'
export { creditFunctionSettings } from '#spending/settings'
export { creditOnCancellationSettings, scheduleSettings } from '#subscriptions/settings'
export { walletSettings } from '#wallet/settings'
