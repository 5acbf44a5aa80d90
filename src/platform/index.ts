export { CONTRACTS_AT_ONCE } from './by-ids.ts'
export { type Connector, type ConnectorOptions, type ContractMoved, connectorFor } from './connector.ts'
export { downloadLines, NoDownload } from './download-lines.ts'
export type { ContractEdit } from './edit-contract.ts'
export { createInboundEngine, type InboundHandler, type InboundMessage } from './inbound-engine.ts'
export { measuredConnector } from './measured-connector.ts'
export { answered, NOT_UNDERSTOOD, type PlatformFailure, type PlatformResult, Unanswered } from './outcome.ts'
export {
  type AttemptPayload,
  parseAttemptPayload,
  parseBulkOperationPayload,
  parseContractPayload,
  parseCustomerPayload,
  parseDeletedCustomerPayload,
  parseMergePayload,
  parseOrderPayload,
  parsePaymentMethodPayload
} from './payloads.ts'
export { choosePaymentMethod } from './payment-method.ts'
export { ADMIN_PATH, gid, numericIdOf, PROFILES, type ProfileName } from './profiles.ts'
export { receiveWebhook } from './receive-webhook.ts'
export {
  type AttemptRequest,
  type ContractRequest,
  type CustomerChange,
  compareRevisions,
  type Interval,
  type PlanTerms,
  type PlatformAttempt,
  type PlatformContract,
  type PlatformContractLine,
  type PlatformCustomer,
  type PlatformOrder,
  type PlatformPaymentMethod
} from './shapes.ts'
export { type ProxyCheck, verifyProxyQuery } from './signatures.ts'
export { readWebhookHeaders, type WebhookHeaders } from './webhook-headers.ts'
