import { randomUUID } from 'node:crypto'
import { publicId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { type CustomerSaid, lookUpCustomer, meetCustomers } from '#members'
import { findPlan, type Plan } from '#plans'
import { type Connector, type ContractRequest, choosePaymentMethod, type PlatformResult } from '#platform'
import type { Actor } from './activity-lines.ts'
import { checkCountry } from './allowed-country.ts'
import {
  type Asked,
  askAgain,
  type Creation,
  dropCreation,
  findCreation,
  insertCreation,
  markAnswered
} from './creations.ts'
import { findSubscriptionByContract } from './queries.ts'
import { syncContracts } from './sync-contracts.ts'

const MOST_DAYS_AHEAD = 5 * 366

/** A subscription that is to be made without a checkout. What is left open is the plan's. */
export type SubscriptionWish = {
  customer: CustomerSaid
  planId: number
  /** Must lie ahead: nothing is charged by it. */
  nextBillingAt: Temporal.Instant
  /** The platform's global id, or its last part; null: the only one there is. */
  paymentMethodId: string | null
  priceMinor: number | null
  maxCycles: number | null
  status: 'active' | 'paused'
  /** Whom it is a gift for. */
  receiver: CustomerSaid | null
}

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
  const made = begun && known(await connector.contractByKey(begun.platformCustomerId, begun.createKey))
  if (begun && made) return takeOver(db, storeId, connector, made, begun.createKey)
  if (begun && !begun.isQuiet) throw mayBeComing()

  const request = await requestFor(db, storeId, connector, wish, begun?.createKey ?? randomUUID())
  await claim(db, storeId, begun, request, asked)
  const [answer] = await connector.createContracts([request])
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
  const contract = known(await connector.contracts([contractId])).get(contractId)
  if (!contract) throw mayBeComing()
  return db.inStore(storeId, async (ctx) => {
    await syncContracts(ctx, [contract], [])
    const made = await findSubscriptionByContract(ctx, contractId)
    if (!made) throw new Error(`The contract ${contractId} that was just made has no customer`)
    await markAnswered(ctx, createKey)
    return { id: made.id, isRepeated: false }
  })
}

/** The contract that is wished for; its customer, plan, payment method and receiver are looked at first. */
async function requestFor(
  db: Database,
  storeId: number,
  connector: Connector,
  wish: SubscriptionWish,
  key: string
): Promise<ContractRequest> {
  const plan = onSale(await db.inStore(storeId, (ctx) => findPlan(ctx, wish.planId)))
  const customer = await lookUpCustomer(db, storeId, connector, wish.customer, 'customer')
  const receiver = wish.receiver && (await lookUpCustomer(db, storeId, connector, wish.receiver, 'receiver'))
  if (receiver?.id === customer.id) throw invalidField('receiver', 'takes another customer than the one who pays')
  // A membership is for who holds it.
  if (receiver) checkCountry(plan, receiver.countryCode, 'receiver')
  else checkCountry(plan, customer.countryCode, 'customer')
  const cards = known(await connector.cards([customer.id])).get(customer.id) ?? []
  const { id: paymentMethodId, problem } = choosePaymentMethod(wish.paymentMethodId, cards)
  if (problem !== null)
    throw new Refusal('invalid_request', problem, [{ field: 'payment_method_id', message: problem }])
  await db.inStore(storeId, async (ctx) => {
    const { nextBillingAt: at } = wish
    const isAhead = Temporal.Instant.compare(at, ctx.now) > 0
    if (!isAhead || Temporal.Instant.compare(at, ctx.now.add({ hours: MOST_DAYS_AHEAD * 24 })) > 0) {
      throw invalidField('next_billing_date', 'takes a date after now and at most 5 years ahead')
    }
    await meetCustomers(ctx, receiver ? [customer, receiver] : [customer])
  })
  return {
    key,
    customerId: customer.id,
    status: wish.status,
    currency: plan.currency,
    interval: plan.interval,
    intervalCount: plan.intervalCount,
    maxCycles: wish.maxCycles ?? plan.maxCycles,
    nextBillingAt: wish.nextBillingAt,
    paymentMethodId,
    variantId: plan.platformVariantId,
    priceMinor: wish.priceMinor ?? plan.priceMinor,
    sellingPlan: { id: plan.platformSellingPlanId, name: plan.name },
    giftReceiverId: receiver?.id ?? null
  }
}

function onSale(plan: Plan | null): Plan & { platformVariantId: string } {
  if (!plan) throw invalidField('plan_id', 'takes the id of a plan of this store')
  const { id, status, platformVariantId } = plan
  if (platformVariantId === null) throw invalidField('plan_id', 'takes the id of a membership plan')
  if (status === 'disabled') {
    throw new Refusal('conflict', `Plan ${publicId('plan', id)} is disabled: nobody can join it`)
  }
  return { ...plan, platformVariantId }
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

function known<T>(result: PlatformResult<T>): T {
  if (!result.ok) throw new Refusal('unavailable', `The platform did not answer: ${result.failure.message}`)
  return result.value
}

const mayBeComing = (message?: string) =>
  new Refusal(
    'unavailable',
    `The subscription may still be coming${message ? ` (${message})` : ''}: repeat the same request in a minute`
  )

const keyOfAnother = () =>
  invalidField('Idempotency-Key', 'was used with another request; take a new key for a new request')
