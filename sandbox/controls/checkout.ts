import { randomBytes } from 'node:crypto'
import { type Queries, sql } from '#kit/postgres'
import type { Refusal } from '#kit/refusal'
import { refuseCountries } from '../checkout/allowed-countries.ts'
import { contractsHeld, holdingsOf } from '../checkout/holdings.ts'
import { heldIn, words } from '../checkout/metafield-values.ts'
import type { Offer } from '../checkout/offers.ts'
import type { Platform } from '../http.ts'
import type { Shop } from '../shop.ts'
import { type Checkout, closeCheckout, insertCheckout, lockCheckout } from '../state/checkouts.ts'
import type { Contract } from '../state/contracts.ts'
import { type Customer, findCustomer } from '../state/customers.ts'
import { listMetafields } from '../state/metafields.ts'
import { checkoutPriceMinor, type Joined, placeJoin, requireOffer, saveCard } from './join.ts'
import {
  alreadyHeld,
  cancelledByCustomer,
  checkoutDecided,
  checkoutNotFound,
  customerNotFound,
  idFrom,
  shopOf
} from './refusals.ts'

/** How long the bank waits for the customer of a checkout, who is there. */
const CONFIRM_WITHIN_MINUTES = 30

/** A checkout is over, or the customer has to confirm its payment on the page of the challenge. */
export type CheckedOut = (Joined & { challenge: null }) | { challenge: string }

/**
 * The storefront's checkout. Unlike `join` it refuses a plan that the customer already has, also when two requests arrive at
 * once; and a card set to `3ds` leads to a challenge, before which nothing is charged.
 */
export async function checkout(
  platform: Platform,
  input: { storeId: number; customerId: string; plan: string }
): Promise<CheckedOut> {
  const shop = await shopOf(platform, input.storeId)
  const customerId = idFrom('customer', input.customerId)
  const now = await platform.clock(shop.domain)
  return platform.db.inInstallation(async (q): Promise<CheckedOut> => {
    const customer = await lockCustomer(q, shop, customerId)
    const offer = await requireOffer(q, shop.storeId, input.plan)
    await refuseHeld(q, shop, customer, offer)
    await refuseCountries(q, shop, [offer], customer.country)
    const { isChallenged } = await saveCard(q, shop.storeId, customer)
    if (!isChallenged) return { ...(await placeJoin(q, shop, customer, offer, now)), challenge: null }
    const challenge = randomBytes(18).toString('base64url')
    const price = { amountMinor: checkoutPriceMinor(offer), currency: shop.currency }
    await insertCheckout(q, shop.storeId, { challenge, customerId, sellingPlanId: offer.plan.id, ...price }, now)
    return { challenge }
  })
}

/**
 * Confirms or refuses the payment of a checkout, as the customer would. Confirmed, it becomes an order and a contract; one that
 * comes too late, or for a plan that the customer has by now, is over without a charge.
 */
export async function settleCheckout(
  platform: Platform,
  input: { storeId: number; challenge: string; decision: 'confirmed' | 'refused' }
): Promise<void> {
  const shop = await shopOf(platform, input.storeId)
  const now = await platform.clock(shop.domain)
  const refusal = await platform.db.inInstallation(async (q): Promise<Refusal | null> => {
    const found = await lockCheckout(q, shop.storeId, input.challenge)
    if (!found) throw checkoutNotFound()
    if (found.status !== 'open') throw checkoutDecided()
    const close = (status: Checkout['status'], contractId: string | null = null) =>
      closeCheckout(q, shop.storeId, input.challenge, { status, contractId })
    if (input.decision === 'refused' || statusAt(found, now) === 'expired') {
      await close(input.decision === 'refused' ? 'refused' : 'expired')
      return null
    }
    const customer = await lockCustomer(q, shop, found.customerId)
    const offer = await requireOffer(q, shop.storeId, found.sellingPlanId)
    const refusal = await refusalOfHeld(q, shop, customer, offer)
    if (refusal) {
      await close('refused')
      return refusal
    }
    const { contractId } = await placeJoin(q, shop, customer, offer, now)
    await close('paid', contractId)
    return null
  })
  if (refusal) throw refusal
}

/** What has become of a checkout: one that nobody has confirmed in time is over, although nothing has written that yet. */
export function statusAt({ status, createdAt }: Checkout, now: Temporal.Instant): Checkout['status'] {
  const endsAt = createdAt.add({ minutes: CONFIRM_WITHIN_MINUTES })
  return status === 'open' && Temporal.Instant.compare(now, endsAt) > 0 ? 'expired' : status
}

/** Checkouts of one customer happen one after another. */
export async function lockCustomer(q: Queries, { storeId }: Shop, customerId: string): Promise<Customer> {
  await q.run(sql`select from sandbox.customers where store_id = ${storeId} and id = ${customerId} for update`)
  const customer = await findCustomer(q, storeId, customerId)
  if (!customer) throw customerNotFound(customerId)
  return customer
}

export async function refuseHeld(q: Queries, shop: Shop, customer: Customer, offer: Offer): Promise<void> {
  const refusal = await refusalOfHeld(q, shop, customer, offer)
  if (refusal) throw refusal
}

async function refusalOfHeld(q: Queries, { storeId }: Shop, customer: Customer, offer: Offer): Promise<Refusal | null> {
  const held = heldContract(contractsHeld(await holdingsOf(q, storeId, customer.id)), offer)
  if (!held) return null
  const metafields = await listMetafields(q, storeId, [`Customer/${customer.id}`])
  // The platform has it paused for as long as the app lets its payer take the cancellation back.
  const isCancelled =
    held.customerId === customer.id &&
    heldIn(metafields).some(({ scid, status }) => words(scid) === held.id && status === 'CANCELLED')
  return (isCancelled ? cancelledByCustomer : alreadyHeld)(offer.product.title, held.id)
}

/** The contract by which somebody has what is offered, unless it has ended. */
export function heldContract(contracts: Contract[], { plan, product }: Offer): Contract | undefined {
  return contracts.find(
    ({ status, lines }) =>
      status !== 'CANCELLED' &&
      status !== 'EXPIRED' &&
      lines.some((line) => line.sellingPlanId === plan.id && line.productId === product.id)
  )
}
