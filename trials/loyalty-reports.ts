// A store with loyalty as a trial begins it, and what its platform reports of orders.
import { upsertFromContracts } from '#contracts'
import type { Ctx } from '#kit/postgres'
import { createTemplate } from '#loyalty'
import { upsertCustomers } from '#members'
import { findOrderId, type OrderReports } from '#orders'
import { updateSettings } from '#stores'
import { loyaltySettings } from '../src/loyalty/settings.ts'
import { aContract, anOrder, orderDetails } from '../test/contract-builder.ts'
import { aPlan } from '../test/plan-builder.ts'
import type { BuiltStore } from '../test/store-builder.ts'
import { TEMPLATES } from './loyalty-steps.ts'
import { type ModelledOrder, type Settings, subtotalOf, totalOf } from './modelled-loyalty.ts'
import { dayAt, START } from './modelled-tiers.ts'

/** The contracts of the first customer. */
export const CONTRACTS = { membership: '9001', product: '9002' }

/** Customers of these numbers, the first with a membership and a subscription of a product. Returns our numbers. */
export async function beginStore(store: BuiltStore, ids: string[], settings: Settings): Promise<number[]> {
  const {
    holdDays,
    pointsDays: pointsExpireAfterDays,
    couponDays: couponsExpireAfterDays,
    review: tierReview
  } = settings
  const reported = ids.map((id) => ({ id, email: `c${id}@example.com`, firstName: null, lastName: null }))
  const known = await store.inStore(async (ctx) => {
    await updateSettings(ctx, loyaltySettings, {
      ...{ holdDays, pointsExpireAfterDays, couponsExpireAfterDays, tierReview }
    })
    return upsertCustomers(ctx, reported)
  })
  const plans = [await aPlan(store, { name: 'VIP' }), await aPlan(store, { name: 'Coffee', type: 'product' })]
  const customer = { ...reported[0]!, updatedAt: START }
  for (const [i, id] of Object.values(CONTRACTS).entries()) {
    const contract = aContract(START.subtract({ hours: 1 }), {
      ...{ id, customer, originOrder: null, interval: 'year' as const, nextBillingDate: START.add({ hours: 24 * 300 }) }
    })
    const lines = contract.lines.map((line) => ({ ...line, ...plans[i]! }))
    await store.inStore((ctx) => upsertFromContracts(ctx, [{ ...contract, lines }], []))
  }
  return ids.map((id) => known.get(id)!.id)
}

/** Returns the ids of the templates. */
export async function beginTemplates({ inStore }: BuiltStore): Promise<number[]> {
  const ids: number[] = []
  const common = { codePrefix: 'P-', isEnabled: true, startsAt: null, endsAt: null }
  for (const template of TEMPLATES) {
    const { id } = await inStore((ctx) => createTemplate(ctx, { ...template, ...common }))
    ids.push(id)
  }
  return ids
}

/** Our number of an order. */
export const orderIdOf = async (ctx: Ctx, { id }: ModelledOrder) => (await findOrderId(ctx, id, 'platform'))!

/** What of an order was not refunded. */
export const notRefunded = (order: ModelledOrder): number =>
  Math.max(0, totalOf(order) - order.refunds.reduce((sum, minor) => sum + minor, 0))

/** The order as the platform reports it `now`. */
export function reportOf(order: ModelledOrder, customerId: string, now: Temporal.Instant): Partial<OrderReports> {
  const { id, day, lines, shippingMinor, creditMinor, refunds, dispute } = order
  const processedAt = dayAt(day)
  const money = {
    id: `${id}1`,
    orderId: id,
    kind: 'sale',
    status: 'success',
    parentId: null,
    giftCardId: null,
    processedAt
  }
  const reported = anOrder(processedAt, {
    ...{
      id,
      name: `#${id}`,
      number: id,
      customerId,
      totalMinor: totalOf(order),
      taxMinor: order.taxMinor,
      updatedAt: now
    },
    financialStatus: statusOf(order),
    cancelledAt: order.isCancelled ? now : null,
    discountCodes: order.codes,
    refundedMinor: refunds.reduce((sum, minor) => sum + minor, 0),
    details: orderDetails({
      ...{ subtotalMinor: subtotalOf(order), shippingMinor },
      ...(order.isTaxIncluded && { isTaxIncluded: true as const }),
      lines: lines.map((line, i) => ({
        ...{ id: `${id}${i}`, productId: line.productId, variantId: null, title: 'Coffee', quantity: 1 },
        ...{ priceMinor: line.priceMinor, discountMinor: 0, sellingPlanId: null, contractId: line.contractId }
      })),
      transactions: creditMinor > 0 ? [{ ...money, gateway: 'shopify_store_credit', amountMinor: creditMinor }] : [],
      refunds: refunds.map((amountMinor, i) => ({
        ...{ id: `${id}${i + 1}`, orderId: id, amountMinor, refundedAt: processedAt, transactions: [] }
      }))
    })
  })
  if (dispute === null) return { orders: [reported] }
  const claim = { id: `7${id}`, orderId: id, type: dispute.type, status: dispute.status, amountMinor: dispute.minor }
  const details = {
    reason: null,
    networkReasonCode: null,
    currency: 'USD',
    initiatedAt: processedAt,
    finalizedAt: null
  }
  return { orders: [reported], disputes: [{ dispute: { ...claim, ...details }, reportedAt: now }] }
}

function statusOf(order: ModelledOrder): string {
  if (order.status !== 'paid' || order.refunds.length === 0) return order.status
  return notRefunded(order) === 0 ? 'refunded' : 'partially_refunded'
}
