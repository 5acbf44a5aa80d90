import { internalId } from '#kit/ids'
import { consumer, type StoredFact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { takeWaitingOrders } from '#loyalty'
import { requestCountryChecks } from './country-checks.ts'
import { barSecondTrials } from './fraud-protection.ts'
import { refreshOrders } from './refresh-orders.ts'
import { requestOrders, requestOrdersOfContracts } from './write-effects.ts'

/** The facts after which an order, or what is known about it, may be another. */
const ORDER_FACTS = [
  'order.recorded',
  'order.refunded',
  'order.credit_paid',
  'order.dispute_changed',
  'billing.success',
  'loyalty_referral.checked',
  'store_credit.added',
  'store_credit.deducted',
  'subscription.created',
  'loyalty_collection.known'
] as const

/** It reads what is true now, so that facts in any order, and twice, come to the same. */
export const orderEffectsConsumer = consumer('order-effects', ORDER_FACTS, refreshOrdersOfFacts, { from: 'beginning' })

async function refreshOrdersOfFacts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  await countWaitingOrders(ctx, facts)
  const created = facts.filter(({ name }) => name === 'subscription.created')
  const newContracts = created.flatMap(({ refs }) => refs.subscriptionId ?? [])
  await requestOrdersOfContracts(ctx, newContracts)
  await requestCountryChecks(ctx, newContracts)
  await barSecondTrials(ctx, { subscriptionIds: newContracts })
  await refreshOrders(ctx, facts.flatMap(orderOf), {
    formerMemberIds: facts.flatMap(({ refs }) => refs.formerMemberId ?? [])
  })
}

/** So many orders are asked for by one statement. */
const BATCH = 5_000

/** Orders that waited for collections are counted now. */
async function countWaitingOrders(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  const collectionIds = facts.flatMap(({ name, data }) =>
    name === 'loyalty_collection.known' ? (JSON.parse(data) as { collection_id: string }).collection_id : []
  )
  if (collectionIds.length === 0) return
  let taken: number[]
  do {
    taken = await takeWaitingOrders(ctx, collectionIds, BATCH)
    await requestOrders(ctx, taken)
  } while (taken.length === BATCH)
}

/** Our number of the order that a fact is about. */
function orderOf({ refs, data }: StoredFact): number[] {
  if (refs.orderId !== undefined) return [refs.orderId]
  if (!data.includes('"ord_')) return []
  const { order, order_id: orderId = null } = JSON.parse(data) as {
    order?: { id: string } | null
    order_id?: string | null
  }
  const id = internalId('ord', order?.id ?? orderId ?? '')
  return id === null ? [] : [id]
}
