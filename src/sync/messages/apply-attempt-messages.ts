import { type AttemptResult, adoptPayments, resultOf, settleAttempts } from '#billing'
import {
  type AttemptPayload,
  type Connector,
  type InboundMessage,
  isPaidOrder,
  type PlatformAttempt,
  parseAttemptPayload,
  unwrap
} from '#platform'
import type { SyncDeps } from '../deps.ts'

/**
 * Settles the billing attempts that messages are about, with their present state on the platform, and adopts payments that no
 * attempt of ours has made.
 */
export async function applyAttemptMessages(
  { db, connectorOf }: SyncDeps,
  storeId: number,
  messages: InboundMessage[]
): Promise<void> {
  const connector = await connectorOf(storeId)
  const payloads = messages.map((m) => parseAttemptPayload(m.payload))
  const ids = [...new Set(payloads.flatMap(({ id }) => id ?? []))]
  const attempts = ids.length > 0 ? unwrap(await connector.billing.findAttempts(ids)) : new Map()

  const results: AttemptResult[] = []
  const requiredActions: { idempotencyKey: string; platformAttemptId: string; actionUrl: string }[] = []
  for (const payload of payloads) {
    const attempt: PlatformAttempt | undefined = payload.id === null ? undefined : attempts.get(payload.id)
    const result = attempt ? resultOf(attempt) : await resultOfPayload(connector, payload)
    if (result) results.push(result)
    else if (attempt?.nextActionUrl) {
      const { id, idempotencyKey, nextActionUrl } = attempt
      requiredActions.push({ idempotencyKey, platformAttemptId: id, actionUrl: nextActionUrl })
    }
  }
  const settled = await db.inStore(storeId, (ctx) => settleAttempts(ctx, results, requiredActions))
  // A transaction of its own, and only where something was not ours to settle: subscriptions are locked before attempts.
  if (settled < results.length) await db.inStore(storeId, (ctx) => adoptPayments(ctx, results))
}

/** The result in a message without an attempt id. It can be trusted, because the message was signed. */
async function resultOfPayload(connector: Connector, payload: AttemptPayload): Promise<AttemptResult | null> {
  const ref = { idempotencyKey: payload.idempotencyKey, platformAttemptId: payload.id }
  if (!payload.ready) return null
  const { orderId, errorCode, errorMessage } = payload
  const orders = orderId ? unwrap(await connector.orders.findMany([orderId])) : null
  const order = (orderId && orders?.get(orderId)) || null
  // A failure with an order was paid.
  const isReversed = errorCode !== null && orderId !== null && isPaidOrder(order)
  if (errorCode !== null && !isReversed) return { ...ref, state: 'failed', errorCode, errorMessage }
  return { ...ref, state: 'success', order, paymentMethod: null, isReversed }
}
