import { type AttemptResult, listContractsAwaitingPaymentMethod, resultOf, settleAttempts } from '#billing'
import { applyPaymentMethodUpdate } from '#contracts'
import { resumeImportsOfOperations } from '#imports'
import type { Database } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { recordOrders } from '#orders'
import {
  type AttemptPayload,
  type Connector,
  type InboundHandler,
  type InboundMessage,
  parseAttemptPayload,
  parseBulkOperationPayload,
  parseContractPayload,
  parseCustomerPayload,
  parseDeletedCustomerPayload,
  parseMergePayload,
  parseOrderPayload,
  parsePaymentMethodPayload,
  unwrap
} from '#platform'
import { enqueueContractSync, listContractsOfCustomers } from '#subscriptions'
import { applyCustomerDeletions, applyCustomerMerges } from './apply-customer-changes.ts'
import { syncShop } from './sync-shop.ts'
import { syncContractsById } from './take-over-contracts.ts'

type Deps = {
  db: Database
  connectorOf: (storeId: number) => Promise<Connector>
  /** Gives the store's platform up, as one that has taken the app off. */
  disconnect: (storeId: number) => Promise<void>
}

/**
 * What the platform tells us, topic by topic, and whose verb hears it. A message is a hint: contracts and attempts are
 * read from the platform before anything is changed, so late, doubled and shuffled messages come to the same.
 */
export function platformTopics(deps: Deps): Record<string, InboundHandler> {
  const { db } = deps

  const customers: InboundHandler = (storeId, messages) =>
    db.inStore(storeId, async (ctx) => {
      await upsertCustomers(
        ctx,
        messages.map((m) => parseCustomerPayload(m.payload))
      )
    })

  const orders: InboundHandler = async (storeId, messages) => {
    const reported = messages.map((m) => parseOrderPayload(m.payload))
    await db.inStore(storeId, (ctx) => recordOrders(ctx, reported))
  }

  const contracts: InboundHandler = async (storeId, messages) => {
    const ids = messages.map((m) => parseContractPayload(m.payload).id)
    const { unsure, missing } = await syncContractsById(deps, storeId, ids)
    if (unsure.length > 0) await db.inStore(storeId, (ctx) => enqueueContractSync(ctx, unsure))
    // It may tell of a contract before its reading side has it, so this is tried again.
    if (missing.length > 0) throw new Error(`The platform has no contract ${missing.join(', ')}`)
  }

  const attempts: InboundHandler = (storeId, messages) => applyReportedAttempts(deps, storeId, messages)

  const customersOf = (messages: InboundMessage[]) =>
    messages.map((m) => parsePaymentMethodPayload(m.payload).customerId)

  const paymentMethods: InboundHandler = async (storeId, messages) => {
    const customerIds = customersOf(messages)
    const reported = new Set(messages.map((m) => parsePaymentMethodPayload(m.payload).methodId))
    const named = await contractsNaming(deps, storeId, customerIds, reported)
    await db.inStore(storeId, (ctx) => applyPaymentMethodUpdate(ctx, customerIds, named))
  }

  const revokedMethods: InboundHandler = (storeId, messages) =>
    db.inStore(storeId, async (ctx) =>
      enqueueContractSync(ctx, await listContractsOfCustomers(ctx, customersOf(messages)))
    )

  const uninstalled: InboundHandler = async (storeId) => {
    const connector = await deps.connectorOf(storeId)
    const shop = await connector.shop.read()
    // A message of the past, when the app has been put on again since.
    if (shop.ok) return
    if (shop.failure.kind !== 'unauthorized') unwrap(shop)
    await deps.disconnect(storeId)
  }

  return {
    'customers/create': customers,
    'customers/update': customers,
    'orders/create': orders,
    'orders/updated': orders,
    'orders/paid': orders,
    'orders/cancelled': orders,
    'subscription_contracts/create': contracts,
    'subscription_contracts/update': contracts,
    'subscription_contracts/activate': contracts,
    'subscription_contracts/pause': contracts,
    'subscription_contracts/cancel': contracts,
    'subscription_contracts/fail': contracts,
    'subscription_contracts/expire': contracts,
    'subscription_billing_attempts/success': attempts,
    'subscription_billing_attempts/failure': attempts,
    'subscription_billing_attempts/challenged': attempts,
    'customer_payment_methods/create': paymentMethods,
    'customer_payment_methods/update': paymentMethods,
    'customer_payment_methods/revoke': revokedMethods,
    'customers/delete': (storeId, messages) =>
      applyCustomerDeletions(
        deps,
        storeId,
        messages.map((m) => parseDeletedCustomerPayload(m.payload).customerId)
      ),
    'customers/merge': (storeId, messages) =>
      applyCustomerMerges(
        deps,
        storeId,
        messages.map((m) => parseMergePayload(m.payload))
      ),
    'shop/update': async (storeId) => {
      await syncShop(deps, storeId)
    },
    'app/uninstalled': uninstalled,
    'bulk_operations/finish': (storeId, messages) =>
      db.inStore(storeId, (ctx) =>
        resumeImportsOfOperations(
          ctx,
          messages.map((m) => parseBulkOperationPayload(m.payload).id)
        )
      )
  }
}

/**
 * Contracts whose charge waits, and that are charged to one of these payment methods. A card that is only on file helps
 * none: it is charged when the contract names it, which the contract's own message tells.
 */
async function contractsNaming(
  { db, connectorOf }: Deps,
  storeId: number,
  customerIds: string[],
  methodIds: ReadonlySet<string>
): Promise<{ contractId: string; methodId: string }[]> {
  const waiting = await db.inStore(storeId, (ctx) => listContractsAwaitingPaymentMethod(ctx, customerIds))
  if (waiting.length === 0) return []
  const { contracts } = unwrap(await (await connectorOf(storeId)).contracts.findReadable(waiting))
  return [...contracts.values()].flatMap(({ id, paymentMethodId }) =>
    paymentMethodId !== null && methodIds.has(paymentMethodId) ? { contractId: id, methodId: paymentMethodId } : []
  )
}

async function applyReportedAttempts(
  { db, connectorOf }: Deps,
  storeId: number,
  messages: InboundMessage[]
): Promise<void> {
  const connector = await connectorOf(storeId)
  const reported = messages.map((m) => parseAttemptPayload(m.payload))
  const ids = [...new Set(reported.flatMap((payload) => payload.id ?? []))]
  const found = ids.length > 0 ? unwrap(await connector.billing.findAttempts(ids)) : new Map()

  const results: AttemptResult[] = []
  const requiredActions: { idempotencyKey: string; actionUrl: string }[] = []
  for (const payload of reported) {
    const attempt = payload.id === null ? undefined : found.get(payload.id)
    const result = attempt ? resultOf(attempt) : await resultOfPayload(connector, payload)
    if (result) results.push(result)
    else if (attempt?.nextActionUrl)
      requiredActions.push({ idempotencyKey: attempt.idempotencyKey, actionUrl: attempt.nextActionUrl })
  }
  await db.inStore(storeId, (ctx) => settleAttempts(ctx, results, requiredActions))
}

/** A message that names no attempt speaks for itself; its signature was verified at the door. */
async function resultOfPayload(connector: Connector, payload: AttemptPayload): Promise<AttemptResult | null> {
  const ref = { idempotencyKey: payload.idempotencyKey, platformAttemptId: payload.id }
  if (!payload.ready) return null
  if (payload.errorCode !== null) {
    return { ...ref, state: 'failed', errorCode: payload.errorCode, errorMessage: payload.errorMessage }
  }
  const orders = payload.orderId ? unwrap(await connector.orders.findMany([payload.orderId])) : new Map()
  return { ...ref, state: 'success', order: orders.get(payload.orderId!) ?? null, paymentMethod: null }
}
