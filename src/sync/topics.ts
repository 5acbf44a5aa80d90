import { resumeImportsOfOperations } from '#imports'
import { parseStorableJson } from '#kit/storable-json'
import {
  type InboundMessage,
  parseAttemptPayload,
  parseBulkOperationPayload,
  parseContractPayload,
  parseEmailConsentPayload,
  parsePaymentMethodPayload,
  parseSmsConsentPayload,
  unwrap
} from '#platform'
import { enqueueContractSync, listContractsOfCustomers } from '#subscriptions'
import { followScopes } from './connections/follow-scopes.ts'
import { syncShop } from './connections/sync-shop.ts'
import { readAndApplyContracts } from './contracts/read-and-apply-contracts.ts'
import type { SyncDeps } from './deps.ts'
import { applyAttemptMessages } from './messages/apply-attempt-messages.ts'
import { applyCatalogMessages } from './messages/apply-catalog-messages.ts'
import { applyCustomerDeletions } from './messages/apply-customer-deletions.ts'
import { applyCustomerMerges } from './messages/apply-customer-merges.ts'
import { applyAddedTags, applyConsents, applyCustomers, applyRemovedTags } from './messages/apply-customer-messages.ts'
import { applyDiscountDeletions } from './messages/apply-discount-deletions.ts'
import { applyOrderMessages } from './messages/apply-order-messages.ts'
import { applyPaymentMethods } from './messages/apply-payment-methods.ts'
import { resumeReadIns } from './read-in/read-ins.ts'

export type TopicDeps = SyncDeps & {
  /** Disconnects a store whose platform has uninstalled the app, if that is still so. */
  checkUninstalled: (storeId: number) => Promise<void>
}

/**
 * Handles messages of its topics, oldest first, perhaps twice. When it throws, none of them counts as handled. There is no
 * order between handlers, because the platform promises none: a message says that something changed, and the handler reads
 * the present state from the platform.
 */
export type TopicHandler = (deps: TopicDeps, storeId: number, messages: InboundMessage[]) => Promise<void>

const contracts: TopicHandler = async (deps, storeId, messages) => {
  const ids = messages.map((m) => parseContractPayload(m.payload).id)
  const { unsure, missing } = await readAndApplyContracts(deps, storeId, ids)
  if (unsure.length > 0) await deps.db.inStore(storeId, (ctx) => enqueueContractSync(ctx, unsure))
  // The message can come before the contract is readable, so it is tried again.
  if (missing.length > 0) throw new Error(`The platform has no contract ${missing.join(', ')}`)
}

const revokedPaymentMethods: TopicHandler = async ({ db }, storeId, messages) => {
  const customerIds = messages.map((m) => parsePaymentMethodPayload(m.payload).customerId)
  await db.inStore(storeId, async (ctx) => enqueueContractSync(ctx, await listContractsOfCustomers(ctx, customerIds)))
}

const bulkOperations: TopicHandler = async ({ db }, storeId, messages) => {
  const ids = messages.map((m) => parseBulkOperationPayload(m.payload).id)
  await db.inStore(storeId, async (ctx) => {
    await resumeImportsOfOperations(ctx, ids)
    await resumeReadIns(ctx, ids)
  })
}

const uninstalled: TopicHandler = ({ checkUninstalled }, storeId) => checkUninstalled(storeId)

const scopesUpdated: TopicHandler = async ({ db, connectorOf }, storeId) => {
  unwrap(await followScopes(db, storeId, await connectorOf(storeId)))
}

/**
 * Who handles the platform's messages, by topic. A message only says that something changed: contracts and attempts are read from
 * the platform before anything is changed here, so that late, repeated and reordered messages have the same result.
 */
export const TOPICS: Record<string, TopicHandler> = {
  'customers/create': applyCustomers,
  'customers/update': applyCustomers,
  'customers/enable': applyCustomers,
  'customers/disable': applyCustomers,
  'customers_email_marketing_consent/update': applyConsents(parseEmailConsentPayload),
  'customers_marketing_consent/update': applyConsents(parseSmsConsentPayload),
  'customer.tags_added': applyAddedTags,
  'customer.tags_removed': applyRemovedTags,
  'customers/delete': applyCustomerDeletions,
  'customers/merge': applyCustomerMerges,
  'orders/create': applyOrderMessages,
  'orders/updated': applyOrderMessages,
  'orders/paid': applyOrderMessages,
  'orders/cancelled': applyOrderMessages,
  'refunds/create': applyOrderMessages,
  'order_transactions/create': applyOrderMessages,
  'subscription_contracts/create': contracts,
  'subscription_contracts/update': contracts,
  'subscription_contracts/activate': contracts,
  'subscription_contracts/pause': contracts,
  'subscription_contracts/cancel': contracts,
  'subscription_contracts/fail': contracts,
  'subscription_contracts/expire': contracts,
  'subscription_billing_attempts/success': applyAttemptMessages,
  'subscription_billing_attempts/failure': applyAttemptMessages,
  'subscription_billing_attempts/challenged': applyAttemptMessages,
  'customer_payment_methods/create': applyPaymentMethods,
  'customer_payment_methods/update': applyPaymentMethods,
  'customer_payment_methods/revoke': revokedPaymentMethods,
  'products/create': applyCatalogMessages,
  'products/update': applyCatalogMessages,
  'products/delete': applyCatalogMessages,
  'collections/create': applyCatalogMessages,
  'collections/update': applyCatalogMessages,
  'collections/delete': applyCatalogMessages,
  'discounts/delete': applyDiscountDeletions,
  'bulk_operations/finish': bulkOperations,
  'shop/update': async (deps, storeId) => void (await syncShop(deps, storeId)),
  'app/uninstalled': uninstalled,
  'app/scopes_update': scopesUpdated,
  // Last: a store that was connected before they were asked for may lack the scope, and the others come before.
  'disputes/create': applyOrderMessages,
  'disputes/update': applyOrderMessages
}

/**
 * What a message is about, for the messages of one handler: those about the same contract or order are handled one after the other,
 * also while a call of the handler hangs. Messages of other handlers are all about the same thing.
 */
export function subjectOf(topic: string, body: string): string {
  if (TOPICS[topic] === applyOrderMessages) return orderIn(body)
  const contractOf = contractsOf[topic.slice(0, topic.indexOf('/'))]
  if (!contractOf) return ''
  try {
    return contractOf(parseStorableJson(body))
  } catch {
    // The handler says what cannot be read.
    return ''
  }
}

/**
 * The order that a message is about. Its body is not parsed for that: it may be long, and a wrong answer only lets two messages be
 * handled at once.
 */
const orderIn = (body: string): string => /"order_id":\s*(\d+)|\/Order\/(\d+)"/.exec(body)?.slice(1).join('') ?? ''

const contractsOf: Record<string, ((payload: unknown) => string) | undefined> = {
  subscription_contracts: (payload) => parseContractPayload(payload).id,
  subscription_billing_attempts: (payload) => parseAttemptPayload(payload).contractId
}
