import { listContractsAwaitingPaymentMethod } from '#billing'
import { applyPaymentMethodUpdate } from '#contracts'
import { type InboundMessage, parsePaymentMethodPayload, unwrap } from '#platform'
import type { SyncDeps } from '../deps.ts'

/** Has charges retried that waited for one of these new or changed payment methods, and syncs the customers' contracts. */
export async function applyPaymentMethods(deps: SyncDeps, storeId: number, messages: InboundMessage[]): Promise<void> {
  const methods = messages.map((m) => parsePaymentMethodPayload(m.payload))
  const customerIds = methods.map(({ customerId }) => customerId)
  const waiting = await findContractsCharging(deps, storeId, customerIds, new Set(methods.map((m) => m.methodId)))
  await deps.db.inStore(storeId, (ctx) => applyPaymentMethodUpdate(ctx, customerIds, waiting))
}

/**
 * Contracts with a waiting charge that are charged to one of these payment methods. A new card on file helps no contract until the
 * contract names it, and then the contract has a message of its own.
 */
async function findContractsCharging(
  { db, connectorOf }: SyncDeps,
  storeId: number,
  customerIds: string[],
  methodIds: ReadonlySet<string>
): Promise<{ contractId: string; methodId: string }[]> {
  const waiting = await db.inStore(storeId, (ctx) => listContractsAwaitingPaymentMethod(ctx, customerIds))
  if (waiting.length === 0) return []
  const { contracts } = unwrap(await (await connectorOf(storeId)).contracts.findReadable(waiting))
  return [...contracts.values()].flatMap(({ id, paymentMethodId }) =>
    paymentMethodId != null && methodIds.has(paymentMethodId) ? { contractId: id, methodId: paymentMethodId } : []
  )
}
