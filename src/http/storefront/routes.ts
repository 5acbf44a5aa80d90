// Every route of the storefront, one line each. Their order means nothing: http/openapi sorts the document.
export { cancelContractRoute } from './churn/cancel-contract.ts'
export { exchangeCodeRoute } from './identification/exchange-code.ts'
export { requestCodeRoute } from './identification/request-code.ts'
export { showBenefitsRoute } from './identification/show-benefits.ts'
export { listCouponsRoute } from './loyalty/list-coupons.ts'
export { redeemTemplateRoute } from './loyalty/redeem-template.ts'
export { getApplePassRoute } from './wallet/get-apple-pass.ts'
export { getGooglePassRoute } from './wallet/get-google-pass.ts'
