import { type Queries, sql } from '#kit/postgres'
import { declineOf } from '../billing/outcomes.ts'
import { listOffers, type Offer } from '../checkout/offers.ts'
import { placeCheckout } from '../checkout/place-checkout.ts'
import { planPricing } from '../contracts/lines.ts'
import type { Platform } from '../http.ts'
import type { Shop } from '../shop.ts'
import { addressIn } from '../state/addresses.ts'
import { type Customer, findCustomer } from '../state/customers.ts'
import { cardDeclined, customerNotFound, idFrom, planNotFound, shopOf } from './refusals.ts'

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

/** The order and the contract of a checkout of one plan whose payment succeeded, in the caller's transaction. */
export async function placeJoin(
  q: Queries,
  shop: Shop,
  customer: Customer,
  offer: Offer,
  now: Temporal.Instant
): Promise<Joined> {
  const address = addressIn(customer.country, customer.province, customer)
  const cart = {
    offers: [offer],
    goods: [],
    reductions: [],
    shipping: null,
    tax: null,
    creditMinor: 0,
    giftCard: null,
    attributes: [],
    note: null,
    shippingAddress: address,
    billingAddress: address,
    sourceName: 'web'
  }
  const { order, contractIds } = await placeCheckout(q, shop, customer, cart, now)
  return { orderId: order.id, contractId: contractIds[0]! }
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
