import { randomUUID } from 'node:crypto'
import { type Queries, sql } from '#kit/postgres'
import { stepsFrom } from '../billing/cycles.ts'
import { declineOf } from '../billing/outcomes.ts'
import { orderMessages, placeOrders } from '../billing/place-orders.ts'
import { GATEWAY } from '../billing/resolve-attempts.ts'
import { planPricing } from '../contracts/lines.ts'
import type { Platform } from '../http.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { contractPayload } from '../outgoing/subscription-payloads.ts'
import type { Shop } from '../shop.ts'
import { insertContracts, type NewContract } from '../state/contracts.ts'
import { type Customer, findCustomer } from '../state/customers.ts'
import {
  findProducts,
  listGroups,
  listPlans,
  listVariants,
  type Product,
  type SellingPlan,
  type SellingPlanGroup,
  type Variant
} from '../state/products.ts'
import { cardDeclined, customerNotFound, idFrom, planNotFound, shopOf } from './refusals.ts'
import { cardInUse, vaultCard } from './vault-card.ts'

export type Offer = { group: SellingPlanGroup; plan: SellingPlan; product: Product; variant: Variant }

/** All plans that can be bought: pairs of a selling plan and a product sold with it. */
export async function listOffers(q: Queries, storeId: number): Promise<Offer[]> {
  const groups = await listGroups(q, storeId)
  const productIds = groups.flatMap((group) => group.productIds)
  const groupIds = groups.map((group) => group.id)
  // Sequentially, since a transaction has one connection.
  const plans = await listPlans(q, storeId, groupIds)
  const products = await findProducts(q, storeId, productIds)
  const variants = await listVariants(q, storeId, productIds)
  return groups.flatMap((group) =>
    plans
      .filter((plan) => plan.groupId === group.id)
      .flatMap((plan) =>
        products
          .filter((product) => group.productIds.includes(product.id))
          .flatMap((product) => {
            const variant = variants.find((candidate) => candidate.productId === product.id)
            return variant ? [{ group, plan, product, variant }] : []
          })
      )
  )
}

/** The first plan whose id, name, group name or product title matches. */
function findOffer(offers: Offer[], name: string): Offer | undefined {
  const wanted = name.trim().toLowerCase()
  const names: ((offer: Offer) => string)[] = [
    ({ plan }) => plan.id,
    ({ plan }) => plan.name,
    ({ product }) => product.title,
    ({ group }) => group.name
  ]
  for (const nameOf of names) {
    const found = offers.find((offer) => nameOf(offer).toLowerCase() === wanted)
    if (found) return found
  }
  return undefined
}

/**
 * Performs a checkout: the first order is paid and the contract is created, with a new card if the customer has none. Refused if
 * the card is set to decline. It asks for no confirmation and sells a plan as often as it is called; the storefront's
 * checkout (`checkout.ts`) does neither.
 */
export async function join(
  platform: Platform,
  input: { storeId: number; customerId: string; plan: string }
): Promise<Joined> {
  const shop = await shopOf(platform, input.storeId)
  const customerId = idFrom('customer', input.customerId)
  const now = await platform.clock(shop.domain)
  return platform.db.inInstallation(async (q) => {
    const customer = await findCustomer(q, shop.storeId, customerId)
    if (!customer) throw customerNotFound(customerId)
    const offer = await requireOffer(q, shop.storeId, input.plan)
    await saveCard(q, shop.storeId, customer)
    return placeJoin(q, shop, customer, offer, now)
  })
}

/** The offer that a name or id means. Refuses one that the shop does not sell. */
export async function requireOffer(q: Queries, storeId: number, plan: string): Promise<Offer> {
  const offers = await listOffers(q, storeId)
  const offer = findOffer(offers, plan)
  if (offer) return offer
  throw planNotFound(
    plan,
    offers.map((one) => one.plan.name)
  )
}

/** What a customer pays at the checkout of an offer, in minor units of the shop's currency. */
export const checkoutPriceMinor = ({ plan, variant }: Offer): number => planPricing(plan, variant.priceMinor).priceMinor

/** What a checkout made. */
export type Joined = { orderId: string; contractId: string }

/** The order and the contract of a checkout whose payment succeeded, with their webhooks, in the caller's transaction. */
export async function placeJoin(
  q: Queries,
  shop: Shop,
  customer: Customer,
  offer: Offer,
  now: Temporal.Instant
): Promise<Joined> {
  const onFile = await cardInUse(q, shop.storeId, customer.id)
  const vaulted = onFile ? null : await vaultCard(q, shop, customer, customer.outcome, now)
  const method = onFile ?? vaulted!.method
  const line = lineOf(offer)
  const { interval, intervalCount } = offer.plan.billingPolicy
  const nextBillingAt = stepsFrom(now, interval, intervalCount, shop.timezone)
  const newContract: NewContract = {
    id: null,
    customerId: customer.id,
    currency: shop.currency,
    status: 'ACTIVE',
    nextBillingAt: nextBillingAt.toString(),
    // Counted from the day of joining, so that a short month does not shift later dates.
    cycleAnchorAt: now,
    cycleAnchorIndex: 0,
    billingPolicy: offer.plan.billingPolicy,
    deliveryPolicy: offer.plan.deliveryPolicy,
    deliveryPriceMinor: 0,
    paymentToken: method.id,
    originOrderId: null,
    note: null,
    customAttributes: [],
    lines: [line],
    discounts: []
  }
  const [inserted] = await insertContracts(q, shop.storeId, [newContract], now)
  const [placed] = await placeOrders(
    q,
    shop,
    [
      {
        customer,
        contractId: inserted!.id,
        currency: shop.currency,
        lines: [{ ...line, discountMinor: 0 }],
        discounts: [],
        shippingMinor: 0,
        payments: line.priceMinor > 0 ? [{ gateway: GATEWAY, amountMinor: line.priceMinor, card: method }] : [],
        tags: [],
        sourceName: 'web'
      }
    ],
    now
  )
  const orderId = placed!.order.id
  await q.run(sql`
    update sandbox.contracts set origin_order_id = ${orderId}, last_payment_status = 'SUCCEEDED'
     where store_id = ${shop.storeId} and id = ${inserted!.id}`)
  const contract = { ...inserted!, originOrderId: orderId }
  await queueWebhooks(
    q,
    shop,
    webhookMessage([
      ...(vaulted ? [vaulted.message] : []),
      ...orderMessages(shop, placed!),
      { topic: 'subscription_contracts/create', payload: contractPayload(shop, contract) }
    ]),
    now
  )
  return { orderId, contractId: contract.id }
}

/**
 * Uses up the card's next outcome for a payment with the customer present. Only a decline fails it; the outcomes for late and
 * lost results apply to renewals. Returns whether the bank asks the customer to confirm, which whoever has no page for it
 * takes as confirmed.
 */
export async function saveCard(q: Queries, storeId: number, customer: Customer): Promise<{ isChallenged: boolean }> {
  const outcome = customer.script[0] ?? customer.outcome
  if (declineOf(outcome)) throw cardDeclined(outcome)
  if (customer.script.length > 0) {
    await q.run(sql`
      update sandbox.customers set script = script[2:] where store_id = ${storeId} and id = ${customer.id}`)
  }
  return { isChallenged: outcome === '3ds' }
}

function lineOf({ plan, product, variant }: Offer) {
  return {
    id: randomUUID(),
    productId: product.id,
    variantId: variant.id,
    title: product.title,
    variantTitle: variant.title === 'Default Title' ? null : variant.title,
    sku: variant.sku,
    quantity: 1,
    ...planPricing(plan, variant.priceMinor),
    sellingPlanId: plan.id,
    sellingPlanName: plan.name,
    customAttributes: []
  }
}
