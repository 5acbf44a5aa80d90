import {
  createBillingAttempt,
  createBillingAttempts,
  fetchBillingAttemptByKey,
  fetchBillingAttempts,
  fetchPaymentOfCycle,
  listBillingAttempts
} from './billing-attempts.ts'
import { cancelBulkOperation, fetchBulkOperation, fetchNewestBulkOperation, runBulkQuery } from './bulk-operations.ts'
import { byIds } from './by-ids.ts'
import { clientFor } from './client.ts'
import {
  ContractActivate,
  ContractCancel,
  ContractExpire,
  ContractFail,
  ContractPause,
  ContractSetNextBillingDate
} from './contract-documents.ts'
import {
  type FoundContracts,
  fetchContract,
  fetchContracts,
  type ListedContracts,
  listContracts,
  moveContract,
  readContracts
} from './contracts.ts'
import {
  createContracts,
  fetchCards,
  fetchContractByKey,
  fetchCustomersByEmail,
  fetchProductsOfVariants
} from './create-contract.ts'
import { createPlanOfProducts, createPlanProduct } from './create-plan-product.ts'
import { fetchCustomers, updateCustomers } from './customers.ts'
import { OrdersByIds, ShopInfo } from './documents.ts'
import { type ContractEdit, editContract } from './edit-contract.ts'
import { ensureWebhooks } from './ensure-webhooks.ts'
import type { Fields } from './fields.ts'
import type { PlatformResult } from './outcome.ts'
import type { ProfileName } from './profiles.ts'
import { readOrder } from './read-answers.ts'
import { sellPlan } from './sell-plan.ts'
import type {
  AttemptRequest,
  BulkOperation,
  ContractRequest,
  CustomerChange,
  Listed,
  PlanOnSale,
  PlanProduct,
  PlanTerms,
  PlatformAttempt,
  PlatformContract,
  PlatformCustomer,
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
  /**
   * Makes what is sold when someone joins: product, price, selling plan; with `productIds` only a selling plan, for those.
   * Repeating it finds what is already there.
   */
  createPlanProduct(terms: PlanTerms, productIds?: string[] | null): Promise<PlatformResult<PlanProduct>>
  /** Has a plan sold at these terms, with these products. Repeating it does no harm. The answer is its selling plan. */
  sellPlan(plan: PlanOnSale, terms: PlanTerms): Promise<PlatformResult<string>>
  /** Topics as in the webhook header (`orders/paid`). Makes what is missing, corrects the address, leaves other topics. */
  ensureWebhooks(uri: string, topics: string[]): Promise<PlatformResult<WebhooksEnsured>>
  /** Null when the platform has no such contract. */
  contract(id: string): Promise<PlatformResult<PlatformContract | null>>
  /** By id; contracts that the platform does not have are left out. One that cannot be understood is the failure of all. */
  contracts(ids: string[]): Promise<PlatformResult<Map<string, PlatformContract>>>
  /** The same, with those told apart that are there and cannot be understood: they hold up no other. */
  readContracts(ids: string[]): Promise<PlatformResult<FoundContracts>>
  /** A page of those that changed at `since` or later, in that order; of all, by id, when it is null. */
  contractsUpdatedSince(since: Temporal.Instant | null, after: string | null): Promise<PlatformResult<ListedContracts>>
  createBillingAttempt(request: AttemptRequest): Promise<PlatformResult<PlatformAttempt>>
  /** One result per request, in the order given; each stands for itself. */
  createBillingAttempts(requests: AttemptRequest[]): Promise<PlatformResult<PlatformAttempt>[]>
  /** By id; attempts that the platform does not have are left out. */
  billingAttempts(ids: string[]): Promise<PlatformResult<Map<string, PlatformAttempt>>>
  /** A page of those made at `since` or later, oldest first. */
  attemptsCreatedSince(since: Temporal.Instant, after: string | null): Promise<PlatformResult<Listed<PlatformAttempt>>>
  /** Finds out whether a lost `createBillingAttempt` was executed. Null: the contract has no attempt with this key. */
  billingAttemptByKey(contractId: string, idempotencyKey: string): Promise<PlatformResult<PlatformAttempt | null>>
  /** The attempt that paid the cycle to be charged at `at`, whoever made it; null when none did. */
  paymentOfCycle(contractId: string, at: Temporal.Instant): Promise<PlatformResult<PlatformAttempt | null>>
  /** By id; orders that the platform does not have are left out. */
  orders(ids: string[]): Promise<PlatformResult<Map<string, PlatformOrder>>>
  /** By id; customers that the platform does not have are left out. */
  customers(ids: string[]): Promise<PlatformResult<Map<string, PlatformCustomer>>>
  /** One result per change, in the order given; each stands for itself, and repeating it does no harm. */
  updateCustomers(changes: CustomerChange[]): Promise<PlatformResult<PlatformCustomer>[]>
  pauseContract(id: string): Promise<PlatformResult<ContractMoved>>
  activateContract(id: string): Promise<PlatformResult<ContractMoved>>
  cancelContract(id: string): Promise<PlatformResult<ContractMoved>>
  failContract(id: string): Promise<PlatformResult<ContractMoved>>
  expireContract(id: string): Promise<PlatformResult<ContractMoved>>
  setNextBillingDate(id: string, at: Temporal.Instant): Promise<PlatformResult<ContractMoved>>
  /** One id per request, in the order given; each stands for itself. */
  createContracts(requests: ContractRequest[]): Promise<PlatformResult<string>[]>
  /** Finds out whether a lost creation was executed. Null: the customer has no contract with this key. */
  contractByKey(customerId: string, key: string): Promise<PlatformResult<string | null>>
  /** By customer, the global ids of payment methods that can be charged; customers that the platform does not have are left out. */
  cards(customerIds: string[]): Promise<PlatformResult<Map<string, string[]>>>
  /** By variant, the product that it is one of; variants that the platform does not have are left out. */
  productsOfVariants(variantIds: string[]): Promise<PlatformResult<Map<string, string>>>
  /** By address, the customers that have it. */
  customersByEmail(emails: string[]): Promise<PlatformResult<Map<string, string[]>>>
  /** The value is the operation's id. */
  runBulkQuery(query: string): Promise<PlatformResult<string>>
  bulkOperation(id: string): Promise<PlatformResult<BulkOperation | null>>
  /** One that is over already is `rejected`. */
  cancelBulkOperation(id: string): Promise<PlatformResult<null>>
  newestBulkOperation(): Promise<PlatformResult<BulkOperation | null>>
  /** Repeating it does no harm. */
  editContract(edit: ContractEdit): Promise<PlatformResult<ContractMoved>>
}

export type WebhooksEnsured = { created: string[]; updated: string[]; unchanged: string[] }

/** The contract after a change: enough to know that the webhook about it brings nothing new. */
export type ContractMoved = { id: string; status: string; revision: string; nextBillingDate: Temporal.Instant | null }

/** The connector to one store's platform. It keeps no state of its own, so it can be made for each use. */
export function connectorFor(access: PlatformAccess, options: ConnectorOptions = {}): Connector {
  const client = clientFor(access, options)
  const { profile } = access
  return {
    shop: () => client.query(ShopInfo, {}, readShop),
    createPlanProduct: (terms, productIds) =>
      productIds ? createPlanOfProducts(client, profile, terms, productIds) : createPlanProduct(client, profile, terms),
    sellPlan: (plan, terms) => sellPlan(client, profile, plan, terms),
    ensureWebhooks: (uri, topics) => ensureWebhooks(client, uri, topics),
    contract: (id) => fetchContract(client, profile, id),
    contracts: (ids) => fetchContracts(client, profile, ids),
    readContracts: (ids) => readContracts(client, profile, ids),
    contractsUpdatedSince: (since, after) => listContracts(client, profile, since, after),
    createBillingAttempt: (request) => createBillingAttempt(client, profile, request),
    createBillingAttempts: (requests) => createBillingAttempts(client, profile, requests),
    billingAttempts: (ids) => fetchBillingAttempts(client, profile, ids),
    attemptsCreatedSince: (since, after) => listBillingAttempts(client, since, after),
    billingAttemptByKey: (contractId, key) => fetchBillingAttemptByKey(client, profile, contractId, key),
    paymentOfCycle: (contractId, at) => fetchPaymentOfCycle(client, profile, contractId, at),
    orders: (ids) => byIds(client, profile, 'Order', OrdersByIds, ids, readOrder),
    customers: (ids) => fetchCustomers(client, profile, ids),
    updateCustomers: (changes) => updateCustomers(client, profile, changes),
    pauseContract: (id) => moveContract(client, profile, ContractPause, id),
    activateContract: (id) => moveContract(client, profile, ContractActivate, id),
    cancelContract: (id) => moveContract(client, profile, ContractCancel, id),
    failContract: (id) => moveContract(client, profile, ContractFail, id),
    expireContract: (id) => moveContract(client, profile, ContractExpire, id),
    setNextBillingDate: (id, at) =>
      moveContract(client, profile, ContractSetNextBillingDate, id, { date: at.toString() }),
    createContracts: (requests) => createContracts(client, profile, requests),
    contractByKey: (customerId, key) => fetchContractByKey(client, profile, customerId, key),
    cards: (customerIds) => fetchCards(client, profile, customerIds),
    productsOfVariants: (variantIds) => fetchProductsOfVariants(client, profile, variantIds),
    customersByEmail: (emails) => fetchCustomersByEmail(client, emails),
    runBulkQuery: (query) => runBulkQuery(client, query),
    bulkOperation: (id) => fetchBulkOperation(client, profile, id),
    cancelBulkOperation: (id) => cancelBulkOperation(client, profile, id),
    newestBulkOperation: () => fetchNewestBulkOperation(client),
    editContract: (edit) => editContract(client, profile, edit)
  }
}

function readShop(data: Fields): PlatformShop {
  const shop = data.at('shop')
  return {
    name: shop.text('name'),
    domain: shop.text('myshopifyDomain'),
    timezone: shop.text('ianaTimezone'),
    currency: shop.text('currencyCode')
  }
}
