export {
  accessScopes,
  missingScopes,
  OPTIONAL_SCOPES,
  REQUESTED_SCOPES,
  requestedScopes,
  withImpliedScopes
} from './access-scopes.ts'
export { type FoundDiscount, isSameDiscount, type ShopDiscount } from './automatic-discounts/automatic-discount.ts'
export { isPaidOrder, type PlatformAttempt } from './billing/attempt.ts'
export type { AttemptRequest, UnreadableAttempt } from './billing/billing-api.ts'
export type { PlatformCharge, PlatformCharges, WithheldCharge } from './billing/list-charges.ts'
export {
  type BulkPart,
  bulkQueryOf,
  readBulkContract,
  readBulkCustomer,
  readBulkOrder
} from './bulk/read-in-queries.ts'
export type { Connector } from './connector.ts'
export { type ConnectorOptions, type Connectors, createConnectors } from './connectors.ts'
export { compareRevisions } from './contracts/compare-revisions.ts'
export type { ChangedContract, PlatformContract, PlatformContractLine } from './contracts/contract.ts'
export { type FoundContractGrant, grantTitle, type NewContractGrant } from './contracts/contract-grants.ts'
export type { ContractRequest } from './contracts/create-contracts.ts'
export type { ContractEdit } from './contracts/edit-contract.ts'
export {
  MAX_DISCOUNTED_LINES,
  type MemberDiscount,
  memberDiscountChanges,
  memberDiscountTitle
} from './contracts/member-discounts.ts'
export {
  ACCOUNT_STATES,
  type AccountState,
  CONSENT_STATES,
  type Consent,
  type ConsentState,
  type PlatformCustomer
} from './customers/customer.ts'
export type { CustomerChange } from './customers/customers-api.ts'
export { choosePaymentMethod, type PlatformPaymentMethod } from './customers/payment-method.ts'
export type { CouponValue } from './discounts/coupon-value.ts'
export { type AddedCode, MAX_CODES_PER_CALL, type SharedDiscount } from './discounts/shared-discounts.ts'
export { findErased, hasErased, pseudonymIn, rememberErased, type Subject } from './erasures/erased-subjects.ts'
export type { PlatformGiftCard } from './gift-cards/gift-cards-api.ts'
export {
  claimRecording,
  deleteOldInbound,
  dueInbound,
  extendInboundLease,
  findDueInbound,
  findInbound,
  findLastMessage,
  giveBackInbound,
  type Inbound,
  type InboundMessage,
  leaseInbound,
  listMessagesAfter,
  markInboundEnded,
  markInboundFailed,
  nextInboundAt,
  releaseInbound,
  retryInboundNow
} from './inbound/inbound-queries.ts'
export {
  parseDisputePayload,
  parseOrderPayload,
  parseRefundPayload,
  parseTransactionPayload
} from './inbound/order-payloads.ts'
export {
  type AttemptPayload,
  type ConsentChannel,
  type ConsentPayload,
  parseAttemptPayload,
  parseBulkOperationPayload,
  parseCatalogPayload,
  parseContractPayload,
  parseCustomerPayload,
  parseCustomerTagsPayload,
  parseDeletedCustomerPayload,
  parseDeletedDiscountPayload,
  parseEmailConsentPayload,
  parseMergePayload,
  parsePaymentMethodPayload,
  parseSmsConsentPayload
} from './inbound/payloads.ts'
export { receiveWebhook } from './inbound/receive-webhook.ts'
export { type ProxyCheck, verifyProxyQuery } from './inbound/verify-proxy-query.ts'
export { readWebhookHeaders, type WebhookHeaders } from './inbound/webhook-headers.ts'
export { allCustomerMetafields } from './metafields/bulk-query.ts'
export {
  comparableMetafield,
  type DecodedMetafield,
  decodeMetafield,
  defineMetafield,
  encodeMetafield,
  MAX_METAFIELD_BYTES,
  METAFIELD_NAMESPACE,
  METAFIELD_OWNERS,
  type Metafield,
  type MetafieldOwner,
  readMetafield
} from './metafields/metafield.ts'
export {
  type FoundMetafield,
  MAX_METAFIELDS_PER_CALL,
  type MetafieldPlace,
  type MetafieldsByKey,
  type MetafieldToSet
} from './metafields/metafields-api.ts'
export { APP_PROXY, appConfig, COMPLIANCE_TOPICS, neededApprovals } from './oauth/app-config.ts'
export { APP_PATHS, type PlatformApp, type PlatformApps, shopDomain, shopUrlOf } from './oauth/apps.ts'
export { consentUrl, isSignedQuery } from './oauth/install-request.ts'
export { checkCustomerToken, checkSessionToken } from './oauth/session-token.ts'
export { type Grant, type IssuedTokens, requestToken } from './oauth/token-endpoint.ts'
export type { PlatformAddress } from './orders/addresses.ts'
export { CREDIT_GATEWAYS, isCreditGateway, type PlatformOrder } from './orders/order.ts'
export type {
  AutomaticDiscount,
  OrderCoupon,
  OrderLine,
  PlatformDispute,
  PlatformRefund,
  PlatformTransaction
} from './orders/order-details.ts'
export type { OrderRevision } from './orders/orders-api.ts'
export type { PlanTerms } from './products/plan-on-sale.ts'
export type { PricedProduct, ProductFacts } from './products/products-api.ts'
export type { Segment } from './segments/segments-api.ts'
export type {
  PlatformCreditAccount,
  PlatformCreditMove,
  PlatformCreditTransaction
} from './store-credit/store-credit-api.ts'
export { TAG_LIMITS, type TaggedKind, tagKey } from './tags/tags-api.ts'
export { checkSchema } from './version/check-schema.ts'
export type { WebhookSubscriptionState } from './webhook-subscriptions/webhook-subscriptions-api.ts'
export { callTimes, MAX_CALL_MS } from './wire/client.ts'
export { MAX_IDS_PER_DOCUMENT } from './wire/document.ts'
export { DownloadFailed, downloadLines, lineObject, type PlatformFile } from './wire/download-lines.ts'
export { MalformedPayload, numericIdOf } from './wire/fields.ts'
export type { Renewal } from './wire/held-token.ts'
export type { Interval } from './wire/interval.ts'
export {
  isAboutRequest,
  isUnreached,
  PlatformCallFailed,
  type PlatformFailure,
  type PlatformResult,
  succeeded,
  UNREADABLE_RESPONSE,
  unwrap
} from './wire/outcome.ts'
export { ADMIN_PATH, API_VERSION, gid, PROFILES, type ProfileName } from './wire/platform-profiles.ts'
