import type { PlatformResult } from './outcome.ts'
import type { ProfileName } from './profiles.ts'
import type {
  AttemptRequest,
  PlanProduct,
  PlanTerms,
  PlatformAttempt,
  PlatformContract,
  PlatformOrder,
  PlatformShop
} from './shapes.ts'

/** Where a store's platform is and what opens it. `url` may carry a path: `https://shop.example/base`. */
export type PlatformAccess = { storeId: number; profile: ProfileName; url: string; accessToken: string }

export type ConnectorOptions = {
  /** For one try, from the connection to the last byte. */
  timeoutMs?: number
  /** How long, over all waits, a call may wait for the cost budget before it is `throttled`. */
  throttleWaitMs?: number
}

export type Connector = {
  shop(): Promise<PlatformResult<PlatformShop>>
  /** Makes what is sold when someone joins: product, price, selling plan. Repeating it finds what is already there. */
  createPlanProduct(terms: PlanTerms): Promise<PlatformResult<PlanProduct>>
  /** Topics as in the webhook header (`orders/paid`). Makes what is missing, corrects the address, leaves other topics. */
  ensureWebhooks(uri: string, topics: string[]): Promise<PlatformResult<WebhooksEnsured>>
  /** Null when the platform has no such contract. */
  contract(id: string): Promise<PlatformResult<PlatformContract | null>>
  /** By id; contracts that the platform does not have are left out. */
  contracts(ids: string[]): Promise<PlatformResult<Map<string, PlatformContract>>>
  createBillingAttempt(request: AttemptRequest): Promise<PlatformResult<PlatformAttempt>>
  /** One result per request, in the order given; each stands for itself. */
  createBillingAttempts(requests: AttemptRequest[]): Promise<PlatformResult<PlatformAttempt>[]>
  /** By id; attempts that the platform does not have are left out. */
  billingAttempts(ids: string[]): Promise<PlatformResult<Map<string, PlatformAttempt>>>
  /** Finds out whether a lost `createBillingAttempt` was executed. Null: the contract has no attempt with this key. */
  billingAttemptByKey(contractId: string, idempotencyKey: string): Promise<PlatformResult<PlatformAttempt | null>>
  /** By id; orders that the platform does not have are left out. */
  orders(ids: string[]): Promise<PlatformResult<Map<string, PlatformOrder>>>
  pauseContract(id: string): Promise<PlatformResult<ContractMoved>>
  activateContract(id: string): Promise<PlatformResult<ContractMoved>>
  cancelContract(id: string): Promise<PlatformResult<ContractMoved>>
  failContract(id: string): Promise<PlatformResult<ContractMoved>>
  setNextBillingDate(id: string, at: Temporal.Instant): Promise<PlatformResult<ContractMoved>>
}

export type WebhooksEnsured = { created: string[]; updated: string[]; unchanged: string[] }

/** The contract after a change: enough to know that the webhook about it brings nothing new. */
export type ContractMoved = { id: string; status: string; revision: string; nextBillingDate: Temporal.Instant | null }

export function connectorFor(_access: PlatformAccess, _options: ConnectorOptions = {}): Connector {
  throw new Error('The connector is being written')
}
