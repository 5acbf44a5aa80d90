import { internalId } from '#kit/ids'
import { consumer, type StoredFact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { requestCountryChecks } from './country-checks.ts'
import { barSecondTrials } from './fraud-protection.ts'
import { refreshOrders } from './refresh-orders.ts'
import { requestOrdersOfContracts } from './write-effects.ts'

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
  'subscription.created'
] as const

/** It reads what is true now, so that facts in any order, and twice, come to the same. */
export const orderEffectsConsumer = consumer('order-effects', ORDER_FACTS, refreshOrdersOfFacts, { from: 'beginning' })

async function refreshOrdersOfFacts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  const created = facts.filter(({ name }) => name === 'subscription.created')
  const newContracts = created.flatMap(({ refs }) => refs.subscriptionId ?? [])
  await requestOrdersOfContracts(ctx, newContracts)
  await requestCountryChecks(ctx, newContracts)
  await barSecondTrials(ctx, { subscriptionIds: newContracts })
  await refreshOrders(ctx, facts.flatMap(orderOf), {
    formerMemberIds: facts.flatMap(({ refs }) => refs.formerMemberId ?? [])
  })
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
