export { BATCH as CONTRACTS_AT_ONCE } from './by-ids.ts'
export {
  type Connector,
  type ConnectorOptions,
  type ContractMoved,
  connectorFor,
  type PlatformAccess,
  type WebhooksEnsured
} from './connector.ts'
export { downloadLines, NoDownload } from './download-lines.ts'
export type { ContractEdit } from './edit-contract.ts'
export { MalformedPayload } from './fields.ts'
export {
  createInboundEngine,
  type InboundEngineOptions,
  type InboundHandler,
  type InboundMessage
} from './inbound-engine.ts'
export { answered, NOT_UNDERSTOOD, type PlatformFailure, type PlatformResult, Unanswered } from './outcome.ts'
export {
  type AttemptPayload,
  type ContractPayload,
  parseAttemptPayload,
  parseBulkOperationPayload,
  parseContractPayload,
  parseCustomerPayload,
  parseDeletedCustomerPayload,
  parseMergePayload,
  parseOrderPayload,
  parsePaymentMethodPayload
} from './payloads.ts'
export { type ChosenMethod, choosePaymentMethod } from './payment-method.ts'
export { ADMIN_PATH, API_VERSION, gid, numericIdOf, PROFILES, type ProfileName } from './profiles.ts'
export { type Received, receiveWebhook, type WebhookStore } from './receive-webhook.ts'
export {
  claimWalk,
  listReconciliations,
  markNotWalked,
  markWalked,
  nextReconciliationAt,
  type Reconciliation,
  reconcileNow,
  scheduleReconciliations,
  type Walk,
  type WalkedPage
} from './reconciliation.ts'
export {
  type AttemptRequest,
  type BulkOperation,
  type ContractRequest,
  type CustomerChange,
  compareRevisions,
  type Interval,
  type Listed,
  type PlanProduct,
  type PlanTerms,
  type PlatformAttempt,
  type PlatformAttemptState,
  type PlatformContract,
  type PlatformContractLine,
  type PlatformCustomer,
  type PlatformOrder,
  type PlatformPaymentMethod,
  type PlatformShop
} from './shapes.ts'
export { type ProxyCheck, type ProxyRefusal, verifyProxyQuery, verifyWebhookSignature } from './signatures.ts'
export { readWebhookHeaders, type WebhookHeaders } from './webhook-headers.ts'
