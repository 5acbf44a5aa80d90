export type { Means, StorefrontSetting } from './define-storefront-setting.ts'
export { storefrontSettingChanged } from './events/storefront-setting-changed.ts'
export { orderGift } from './keys/order-gift.ts'
export { softlogin } from './keys/softlogin.ts'
export { agreement } from './keys/svc-agreement.ts'
export { otp } from './keys/svc-otp.ts'
export { protection } from './keys/svc-protection.ts'
export { walletPass } from './keys/svc-wallet-pass-settings.ts'
export {
  describeStorefrontSetting,
  listStorefrontSettings,
  STOREFRONT_SETTINGS,
  storefrontSetting,
  storefrontSettingOf,
  takeOverStorefrontSetting,
  updateStorefrontSetting
} from './storefront-settings.ts'
