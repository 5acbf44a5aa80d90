import { randomUUID } from 'node:crypto'
import type { Database } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { Connector, ContractRequest } from '#platform'
import { type Actor, findSubscriptionByContract } from '#subscriptions'
import {
  type Asked,
  askAgain,
  type Creation,
  dropCreation,
  findCreation,
  insertCreation,
  markAnswered
} from './creations.ts'
import { syncContracts } from './sync-contracts.ts'
import { known, requestFor, type SubscriptionWish } from './wished-contract.ts'

/** `isRepeated`: the same request had made it before. */
export type Created = { id: number; isRepeated: boolean }

/**
 * Makes a contract on the platform and the subscription of it, without charging anything. The platform knows no idempotency
 * key for this: a key that the contract will bear is stored before the call, and what was begun before is looked for by it,
 * so that a repetition after a lost answer makes no second one. Refuses what cannot be made, naming the field.
 */
export async function createSubscription(
  db: Database,
  storeId: number,
  connector: Connector,
  wish: SubscriptionWish,
  asked: Asked & { by: Actor }
): Promise<Created> {
  const begun = await db.inStore(storeId, (ctx) => findCreation(ctx, asked))
  if (begun?.isOther) throw keyOfAnother()
  if (begun?.subscriptionId) {
    await db.inStore(storeId, (ctx) => markAnswered(ctx, begun.createKey))
    return { id: begun.subscriptionId, isRepeated: true }
  }
  const made = begun && known(await connector.contracts.findIdByKey(begun.platformCustomerId, begun.createKey))
  if (begun && made) return takeOver(db, storeId, connector, made, begun.createKey)
  if (begun && !begun.isQuiet) throw mayBeComing()

  const request = await requestFor(db, storeId, connector, wish, begun?.createKey ?? randomUUID())
  await claim(db, storeId, begun, request, asked)
  const [answer] = await connector.contracts.create([request])
  if (!answer!.ok) {
    const { kind, message, field, outcomeUnknown } = answer!.failure
    if (outcomeUnknown) throw mayBeComing(message)
    await db.inStore(storeId, (ctx) => dropCreation(ctx, request.key))
    const said = `The platform made no contract: ${message}${field ? ` (${field})` : ''}`
    throw new Refusal(kind === 'rejected' ? 'conflict' : 'unavailable', said)
  }
  return takeOver(db, storeId, connector, answer!.value, request.key)
}

/** Whoever sees the contract first makes it a subscription: us here, or the platform's message about it. */
async function takeOver(
  db: Database,
  storeId: number,
  connector: Connector,
  contractId: string,
  createKey: string
): Promise<Created> {
  const contract = known(await connector.contracts.findMany([contractId])).get(contractId)
  if (!contract) throw mayBeComing()
  return db.inStore(storeId, async (ctx) => {
    await syncContracts(ctx, [contract], [])
    const made = await findSubscriptionByContract(ctx, contractId)
    if (!made) throw new Error(`The contract ${contractId} that was just made has no customer`)
    await markAnswered(ctx, createKey)
    return { id: made.id, isRepeated: false }
  })
}

/** Notes that the platform is asked now; refuses when another request is just doing the same. */
async function claim(
  db: Database,
  storeId: number,
  begun: Creation | null,
  { key, customerId }: ContractRequest,
  asked: Asked & { by: Actor }
): Promise<void> {
  const isOurs = await db.inStore(storeId, (ctx) =>
    begun
      ? askAgain(ctx, begun.id)
      : insertCreation(ctx, asked, { createKey: key, platformCustomerId: customerId, by: asked.by })
  )
  if (!isOurs) throw mayBeComing()
}

const mayBeComing = (message?: string) =>
  new Refusal(
    'unavailable',
    `The subscription may still be coming${message ? ` (${message})` : ''}: repeat the same request in a minute`
  )

const keyOfAnother = () =>
  invalidField('Idempotency-Key', 'was used with another request; take a new key for a new request')
