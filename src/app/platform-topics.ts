import {
  type AttemptResult,
  noteChallenges,
  resultOf,
  retryHeldCharges,
  SYNC_CONTRACT,
  settleAttempts,
  stopBilling
} from '#billing'
import { enqueue } from '#kit/jobs'
import type { Ctx, Database } from '#kit/postgres'
import { meetCustomers } from '#members'
import { recordOrders } from '#orders'
import {
  type AttemptPayload,
  type Connector,
  type InboundHandler,
  type InboundMessage,
  type PlatformResult,
  parseAttemptPayload,
  parseContractPayload,
  parseCustomerPayload,
  parseOrderPayload,
  parsePaymentMethodPayload
} from '#platform'
import { syncContracts } from '#subscriptions'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

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
    const unsure = await syncContractsById(deps, storeId, ids)
    await db.inStore(storeId, (ctx) => lookAgain(ctx, unsure))
  }

  const attempts: InboundHandler = (storeId, messages) => settleTold(deps, storeId, messages)

  const paymentMethods: InboundHandler = (storeId, messages) =>
    db.inStore(storeId, (ctx) =>
      retryHeldCharges(
        ctx,
        messages.map((m) => parsePaymentMethodPayload(m.payload).customerId)
      )
    )

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
    'customer_payment_methods/update': paymentMethods
  }
}

/**
 * Reads contracts from the platform and takes them over; returns those that are to be looked at again. Throws when the
 * platform cannot be asked or has no such contract.
 */
export async function syncContractsById({ db, connectorOf }: Deps, storeId: number, ids: string[]): Promise<string[]> {
  const connector = await connectorOf(storeId)
  const wanted = [...new Set(ids)]
  const contracts = answered(await connector.contracts(wanted))
  const origins = [...contracts.values()].flatMap((contract) => contract.originOrder?.id ?? [])
  const orders = origins.length > 0 ? answered(await connector.orders([...new Set(origins)])) : new Map()
  const { unsure } = await db.inStore(storeId, async (ctx) => {
    const followed = await syncContracts(ctx, [...contracts.values()], [...orders.values()])
    await stopBilling(ctx, followed.stopped)
    return followed
  })
  const missing = wanted.filter((id) => !contracts.has(id))
  if (missing.length > 0) throw new Error(`The platform has no contract ${missing.join(', ')}`)
  return unsure
}

/** Has contracts read again, when what we are about to change on the platform ourselves is done. */
function lookAgain(ctx: Ctx, contractIds: string[]): Promise<void> {
  return enqueue(
    ctx,
    SYNC_CONTRACT,
    contractIds.map((contractId) => ({ key: contractId, payload: { contractId } }))
  )
}

async function settleTold({ db, connectorOf }: Deps, storeId: number, messages: InboundMessage[]): Promise<void> {
  const connector = await connectorOf(storeId)
  const told = messages.map((m) => parseAttemptPayload(m.payload))
  const ids = [...new Set(told.flatMap((payload) => payload.id ?? []))]
  const found = ids.length > 0 ? answered(await connector.billingAttempts(ids)) : new Map()

  const results: AttemptResult[] = []
  const challenges: { idempotencyKey: string; actionUrl: string }[] = []
  for (const payload of told) {
    const attempt = payload.id === null ? undefined : found.get(payload.id)
    const result = attempt ? resultOf(attempt) : await resultOfPayload(connector, payload)
    if (result) results.push(result)
    else if (attempt?.nextActionUrl)
      challenges.push({ idempotencyKey: attempt.idempotencyKey, actionUrl: attempt.nextActionUrl })
  }
  await db.inStore(storeId, async (ctx) => {
    await settleAttempts(ctx, results)
    await noteChallenges(ctx, challenges)
  })
}

/** A message that names no attempt speaks for itself; its signature was verified at the door. */
async function resultOfPayload(connector: Connector, payload: AttemptPayload): Promise<AttemptResult | null> {
  const ref = { idempotencyKey: payload.idempotencyKey, platformAttemptId: payload.id }
  if (!payload.ready) return null
  if (payload.errorCode !== null) {
    return { ...ref, state: 'failed', errorCode: payload.errorCode, errorMessage: payload.errorMessage }
  }
  const orders = payload.orderId ? answered(await connector.orders([payload.orderId])) : new Map()
  return { ...ref, state: 'success', order: orders.get(payload.orderId!) ?? null, paymentMethod: null }
}

function answered<T>(result: PlatformResult<T>): T {
  if (!result.ok) throw new Error(`The platform did not answer (${result.failure.kind}): ${result.failure.message}`)
  return result.value
}
