// Every setting of the storefront, one line each.

export { orderGift } from './keys/order-gift.ts'
export { softlogin } from './keys/softlogin.ts'
export { agreement } from './keys/svc-agreement.ts'
export { cartPageSelector } from './keys/svc-cart-page-selector.ts'
export { otp } from './keys/svc-otp.ts'
export { protection } from './keys/svc-protection.ts'
export { sideCartSelector } from './keys/svc-side-cart-selector.ts'
export { walletPass } from './keys/svc-wallet-pass-settings.ts'
export { widgetCartPage } from './keys/svc-widget-cart-page.ts'
export { widgetCartPageMember } from './keys/svc-widget-cart-page-member.ts'
