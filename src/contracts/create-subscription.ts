import { randomUUID } from 'node:crypto'
import type { Database } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { Connector, ContractRequest } from '#platform'
import { refuseOnHold } from '#stores'
import type { Actor } from '#subscriptions'
import { contractRequestFor, known, type SubscriptionRequest } from './contract-request.ts'
import {
  type CreationRequest,
  deletePendingCreation,
  findPendingCreation,
  insertPendingCreation,
  markRequestedAgain,
  markReturned,
  type PendingCreation
} from './pending-creations.ts'
import { upsertFromContracts } from './upsert-from-contracts.ts'

/** `isRepeated`: the same request had created it before. */
export type Created = { id: number; isRepeated: boolean }

/**
 * Creates a contract on the platform and its subscription, without charging anything. The platform accepts no idempotency key for
 * this: a key that the contract will carry is stored before the call, and a request that was started before is looked up by it, so
 * that a repetition after a lost response creates no second contract. Refuses what cannot be created, naming the field.
 */
export async function createSubscription(
  db: Database,
  storeId: number,
  connector: Connector,
  requested: SubscriptionRequest,
  creationRequest: CreationRequest & { by: Actor }
): Promise<Created> {
  const pending = await db.inStore(storeId, async (ctx) => {
    refuseOnHold(ctx)
    return findPendingCreation(ctx, creationRequest)
  })
  if (pending?.isOther) throw idempotencyKeyReused()
  if (pending?.subscriptionId) {
    await db.inStore(storeId, (ctx) => markReturned(ctx, pending.createKey))
    return { id: pending.subscriptionId, isRepeated: true }
  }
  const created = pending && known(await connector.contracts.findIdByKey(pending.platformCustomerId, pending.createKey))
  if (pending && created) return takeOver(db, storeId, connector, created, pending.createKey)
  if (pending && !pending.isQuiet) throw creationUncertain()

  const request = await contractRequestFor(db, storeId, connector, requested, pending?.createKey ?? randomUUID())
  await claim(db, storeId, pending, request, creationRequest)
  const [result] = await connector.contracts.create([request])
  if (!result!.ok) {
    const { kind, message, field, outcomeUnknown } = result!.failure
    if (outcomeUnknown) throw creationUncertain(message)
    await db.inStore(storeId, (ctx) => deletePendingCreation(ctx, request.key))
    const reason = `The platform created no contract: ${message}${field ? ` (${field})` : ''}`
    throw new Refusal(kind === 'rejected' ? 'conflict' : 'unavailable', reason)
  }
  return takeOver(db, storeId, connector, result!.value, request.key)
}

/** Whoever reads the contract first makes it a subscription: this request, or the platform's message about it. */
async function takeOver(
  db: Database,
  storeId: number,
  connector: Connector,
  contractId: string,
  createKey: string
): Promise<Created> {
  const contract = known(await connector.contracts.findMany([contractId])).get(contractId)
  if (!contract) throw creationUncertain()
  return db.inStore(storeId, async (ctx) => {
    const { subscriptions } = await upsertFromContracts(ctx, [contract], [])
    const created = subscriptions.get(contractId)
    if (!created) throw new Error(`The contract ${contractId} that was just created has no customer`)
    await markReturned(ctx, createKey)
    return { id: created.id, isRepeated: false }
  })
}

/** Records that the platform is called now; refuses when another request is doing the same. */
async function claim(
  db: Database,
  storeId: number,
  pending: PendingCreation | null,
  { key, customerId }: ContractRequest,
  creationRequest: CreationRequest & { by: Actor }
): Promise<void> {
  const isOurs = await db.inStore(storeId, (ctx) =>
    pending
      ? markRequestedAgain(ctx, pending.id)
      : insertPendingCreation(ctx, creationRequest, {
          createKey: key,
          platformCustomerId: customerId,
          by: creationRequest.by
        })
  )
  if (!isOurs) throw creationUncertain()
}

const creationUncertain = (message?: string) =>
  new Refusal(
    'unavailable',
    `The subscription may still be created${message ? ` (${message})` : ''}: repeat the same request in a minute`
  )

const idempotencyKeyReused = () =>
  invalidField('Idempotency-Key', 'was used with another request; use a new key for a new request')
