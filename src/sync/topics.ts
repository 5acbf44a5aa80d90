import { type AttemptResult, listContractsToHelp, resultOf, retryHeldCharges, takeTold } from '#billing'
import { hearOfBulkOperations } from '#imports'
import type { Database } from '#kit/postgres'
import { meetCustomers } from '#members'
import { recordOrders } from '#orders'
import {
  type AttemptPayload,
  answered,
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
  parsePaymentMethodPayload
} from '#platform'
import { listContractsOfCustomers, notePaymentMethods } from '#subscriptions'
import { followDeletedCustomers, followMerges } from './follow-customers.ts'
import { followShopOf } from './follow-shop.ts'
import { lookAgain, syncContractsById } from './take-over-contracts.ts'

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
      await meetCustomers(
        ctx,
        messages.map((m) => parseCustomerPayload(m.payload))
      )
    })

  const orders: InboundHandler = async (storeId, messages) => {
    const told = messages.map((m) => parseOrderPayload(m.payload))
    await db.inStore(storeId, (ctx) => recordOrders(ctx, told))
  }

  const contracts: InboundHandler = async (storeId, messages) => {
    const ids = messages.map((m) => parseContractPayload(m.payload).id)
    const { unsure, missing } = await syncContractsById(deps, storeId, ids)
    if (unsure.length > 0) await db.inStore(storeId, (ctx) => lookAgain(ctx, unsure))
    // It may tell of a contract before its reading side has it, so this is tried again.
    if (missing.length > 0) throw new Error(`The platform has no contract ${missing.join(', ')}`)
  }

  const attempts: InboundHandler = (storeId, messages) => settleTold(deps, storeId, messages)

  const customersOf = (messages: InboundMessage[]) =>
    messages.map((m) => parsePaymentMethodPayload(m.payload).customerId)

  const paymentMethods: InboundHandler = async (storeId, messages) => {
    const customerIds = customersOf(messages)
    const told = new Set(messages.map((m) => parsePaymentMethodPayload(m.payload).methodId))
    const named = await contractsNaming(deps, storeId, customerIds, told)
    await db.inStore(storeId, async (ctx) => {
      await retryHeldCharges(
        ctx,
        named.map(({ contractId }) => contractId)
      )
      await notePaymentMethods(ctx, named)
      // A contract that names the method is the same as before, and no message tells of it.
      await lookAgain(ctx, await listContractsOfCustomers(ctx, customerIds))
    })
  }

  const revokedMethods: InboundHandler = (storeId, messages) =>
    db.inStore(storeId, async (ctx) => lookAgain(ctx, await listContractsOfCustomers(ctx, customersOf(messages))))

  const uninstalled: InboundHandler = async (storeId) => {
    const connector = await deps.connectorOf(storeId)
    const shop = await connector.shop.read()
    // A message of the past, when the app has been put on again since.
    if (shop.ok) return
    if (shop.failure.kind !== 'unauthorized') answered(shop)
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
      followDeletedCustomers(
        deps,
        storeId,
        messages.map((m) => parseDeletedCustomerPayload(m.payload).customerId)
      ),
    'customers/merge': (storeId, messages) =>
      followMerges(
        deps,
        storeId,
        messages.map((m) => parseMergePayload(m.payload))
      ),
    'shop/update': async (storeId) => {
      await followShopOf(deps, storeId)
    },
    'app/uninstalled': uninstalled,
    'bulk_operations/finish': (storeId, messages) =>
      db.inStore(storeId, (ctx) =>
        hearOfBulkOperations(
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
  const waiting = await db.inStore(storeId, (ctx) => listContractsToHelp(ctx, customerIds))
  if (waiting.length === 0) return []
  const { contracts } = answered(await (await connectorOf(storeId)).contracts.findReadable(waiting))
  return [...contracts.values()].flatMap(({ id, paymentMethodId }) =>
    paymentMethodId !== null && methodIds.has(paymentMethodId) ? { contractId: id, methodId: paymentMethodId } : []
  )
}

async function settleTold({ db, connectorOf }: Deps, storeId: number, messages: InboundMessage[]): Promise<void> {
  const connector = await connectorOf(storeId)
  const told = messages.map((m) => parseAttemptPayload(m.payload))
  const ids = [...new Set(told.flatMap((payload) => payload.id ?? []))]
  const found = ids.length > 0 ? answered(await connector.billing.findAttempts(ids)) : new Map()

  const results: AttemptResult[] = []
  const challenges: { idempotencyKey: string; actionUrl: string }[] = []
  for (const payload of told) {
    const attempt = payload.id === null ? undefined : found.get(payload.id)
    const result = attempt ? resultOf(attempt) : await resultOfPayload(connector, payload)
    if (result) results.push(result)
    else if (attempt?.nextActionUrl)
      challenges.push({ idempotencyKey: attempt.idempotencyKey, actionUrl: attempt.nextActionUrl })
  }
  await db.inStore(storeId, (ctx) => takeTold(ctx, results, challenges))
}

/** A message that names no attempt speaks for itself; its signature was verified at the door. */
async function resultOfPayload(connector: Connector, payload: AttemptPayload): Promise<AttemptResult | null> {
  const ref = { idempotencyKey: payload.idempotencyKey, platformAttemptId: payload.id }
  if (!payload.ready) return null
  if (payload.errorCode !== null) {
    return { ...ref, state: 'failed', errorCode: payload.errorCode, errorMessage: payload.errorMessage }
  }
  const orders = payload.orderId ? answered(await connector.orders.findMany([payload.orderId])) : new Map()
  return { ...ref, state: 'success', order: orders.get(payload.orderId!) ?? null, paymentMethod: null }
}
