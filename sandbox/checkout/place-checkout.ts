import { randomUUID } from 'node:crypto'
import { decimalOf } from '#kit/money'
import { type Queries, sql } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { stepsFrom } from '../billing/cycles.ts'
import { orderMessages, type Payment, placeOrders } from '../billing/place-orders.ts'
import { GATEWAY } from '../billing/resolve-attempts.ts'
import { planPricing } from '../contracts/lines.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { contractPayload } from '../outgoing/subscription-payloads.ts'
import type { Shop } from '../shop.ts'
import type { Address } from '../state/addresses.ts'
import { insertContracts } from '../state/contracts.ts'
import { type CreditTransaction, linkCredit, listCreditAccounts, moveCredit } from '../state/credit.ts'
import { type Customer, displayNameOf } from '../state/customers.ts'
import { type GiftCard, moveGiftCard } from '../state/gift-cards.ts'
import type { Attribute, Order, Tax } from '../state/orders.ts'
import { type CartTotals, cartTotals, type Goods, type Reduction } from './cart-totals.ts'
import type { Offer } from './offers.ts'
import { cardInUse, vaultCard } from './vault-card.ts'

/** A cart whose prices and payment are agreed. */
export type Cart = {
  /** Memberships and product subscriptions; each begins a contract. */
  offers: Offer[]
  /** What is bought once. */
  goods: Goods[]
  /** `perLine` counts the lines of the offers first. */
  reductions: Reduction[]
  shipping: { title: string; priceMinor: number } | null
  tax: Tax | null
  /** The part that store credit pays. */
  creditMinor: number
  /** Pays before everything else, as far as it goes. */
  giftCard: GiftCard | null
  attributes: Attribute[]
  note: string | null
  shippingAddress: Address | null
  billingAddress: Address | null
  sourceName: string
}

export type PlacedCheckout = { order: Order; contractIds: string[] }

/** The lines of a cart in their order, as the reductions count them. */
export const cartGoods = ({ offers, goods }: Pick<Cart, 'offers' | 'goods'>): Goods[] => [
  ...offers.map((offer) => {
    const {
      basePriceMinor: _base,
      cycleDiscounts: _cycles,
      customAttributes: _attributes,
      ...line
    } = contractLine(offer)
    return { ...line, vendor: offer.product.vendor, taxable: offer.variant.taxable }
  }),
  ...goods
]

export const totalsOf = (cart: Pick<Cart, 'offers' | 'goods' | 'reductions' | 'shipping' | 'tax'>): CartTotals =>
  cartTotals({ goods: cartGoods(cart), reductions: cart.reductions, shipping: cart.shipping, tax: cart.tax })

/**
 * The order and the contracts of a checkout whose card is accepted, with their webhooks, in the caller's transaction. Refused if
 * credit or a gift card does not have what it should pay.
 */
export async function placeCheckout(
  q: Queries,
  shop: Shop,
  customer: Customer,
  cart: Cart,
  now: Temporal.Instant
): Promise<PlacedCheckout> {
  const totals = totalsOf(cart)
  const onFile = await cardInUse(q, shop.storeId, customer.id)
  const vaulted = onFile || cart.offers.length === 0 ? null : await vaultCard(q, shop, customer, customer.outcome, now)
  const method = onFile ?? vaulted?.method ?? null
  const contracts = await insertContracts(
    q,
    shop.storeId,
    cart.offers.map((offer) => contractOf(shop, customer, offer, method!.id, now)),
    now
  )
  const lines = totals.lines.map((line, i) => ({
    ...line,
    // One contract is that of the order; several are told apart by their lines.
    ...(contracts.length > 1 && contracts[i] ? { contractId: contracts[i].id } : {})
  }))
  const { shippingLine, taxMinor, discounts } = totals
  const { tax, attributes, note, shippingAddress, billingAddress, sourceName } = cart
  const { payments, spent } = await pay(q, shop, customer, cart, totals.totalMinor, method ?? guestCard(customer), now)
  const [placed] = await placeOrders(
    q,
    shop,
    [
      {
        customer,
        contractId: contracts[0]?.id ?? null,
        currency: shop.currency,
        lines,
        discounts,
        shippingMinor: 0,
        payments,
        tags: [],
        sourceName,
        checkout: { tax, taxMinor, shippingLine, attributes, note, shippingAddress, billingAddress }
      }
    ],
    now
  )
  const orderId = placed!.order.id
  const paidWithCredit = placed!.transactions.find(({ paidFrom }) => paidFrom && 'creditAccountId' in paidFrom)
  if (spent && paidWithCredit) {
    await linkCredit(q, shop.storeId, [{ creditTransactionId: spent.id, orderTransactionId: paidWithCredit.id }])
  }
  await q.run(sql`
    update sandbox.contracts set origin_order_id = ${orderId}, last_payment_status = 'SUCCEEDED'
     where store_id = ${shop.storeId} and id = any(${contracts.map(({ id }) => id)}::bigint[])`)
  await queueWebhooks(
    q,
    shop,
    webhookMessage([
      ...(vaulted ? [vaulted.message] : []),
      ...orderMessages(shop, placed!),
      ...contracts.map((contract) => ({
        topic: 'subscription_contracts/create' as const,
        payload: contractPayload(shop, { ...contract, originOrderId: orderId })
      }))
    ]),
    now
  )
  return { order: placed!.order, contractIds: contracts.map(({ id }) => id) }
}

/** Takes the gift card first, then the credit; a card pays the rest. */
async function pay(
  q: Queries,
  shop: Shop,
  customer: Customer,
  { giftCard, creditMinor }: Pick<Cart, 'giftCard' | 'creditMinor'>,
  totalMinor: number,
  card: Payment['card'],
  now: Temporal.Instant
): Promise<{ payments: Payment[]; spent: CreditTransaction | null }> {
  const payments: Payment[] = []
  let spent: CreditTransaction | null = null
  const giftMinor = giftCardPart({ giftCard }, totalMinor)
  await refuseCredit(q, shop, customer, { giftCard, creditMinor }, totalMinor)
  if (giftCard && giftMinor > 0) {
    const move = { giftCardId: giftCard.id, amountMinor: -giftMinor, note: null, processedAt: now }
    if (!(await moveGiftCard(q, shop.storeId, move, now))) throw new Refusal('conflict', 'The gift card was just used')
    const paidFrom = { giftCardId: giftCard.id, lastCharacters: giftCard.code.slice(-4) }
    payments.push({ gateway: 'gift_card', amountMinor: giftMinor, card: null, paidFrom })
  }
  if (creditMinor > 0) {
    spent = await spendCredit(q, shop, customer, creditMinor, now)
    payments.push({
      gateway: 'shopify_store_credit',
      amountMinor: creditMinor,
      card: null,
      paidFrom: { creditAccountId: spent.accountId }
    })
  }
  const restMinor = totalMinor - giftMinor - creditMinor
  if (restMinor > 0) payments.push({ gateway: GATEWAY, amountMinor: restMinor, card })
  return { payments, spent }
}

/** What a gift card pays of a cart. */
const giftCardPart = ({ giftCard }: Pick<Cart, 'giftCard'>, totalMinor: number): number =>
  Math.min(giftCard?.balanceMinor ?? 0, totalMinor)

/** Refuses more store credit than there is to pay, or than the customer has. */
export async function refuseCredit(
  q: Queries,
  shop: Shop,
  customer: Customer,
  cart: Pick<Cart, 'giftCard' | 'creditMinor'>,
  totalMinor: number
): Promise<void> {
  if (cart.creditMinor === 0) return
  if (cart.creditMinor > totalMinor - giftCardPart(cart, totalMinor)) {
    throw invalidField('credit', 'must be at most what is to be paid')
  }
  const balanceMinor = (await creditAccountOf(q, shop, customer))?.balanceMinor ?? 0
  if (cart.creditMinor > balanceMinor) throw tooMuchCredit(shop, balanceMinor)
}

const creditAccountOf = async (q: Queries, shop: Shop, customer: Customer) =>
  (await listCreditAccounts(q, shop.storeId, [customer.id])).find(({ currency }) => currency === shop.currency)

function tooMuchCredit(shop: Shop, balanceMinor: number): Refusal {
  const has = `${decimalOf(balanceMinor, shop.currency)} ${shop.currency}`
  const message = `must be at most the store credit that the customer has on the platform, which is ${has}`
  return new Refusal('conflict', `credit ${message}`, [{ field: 'credit', code: 'invalid', message }])
}

async function spendCredit(q: Queries, shop: Shop, customer: Customer, amountMinor: number, now: Temporal.Instant) {
  const account = await creditAccountOf(q, shop, customer)
  const move = { accountId: account?.id ?? '0', amountMinor: -amountMinor, event: 'ORDER_PAYMENT', expiresAt: null }
  const spent = account ? await moveCredit(q, shop.storeId, move, now) : null
  if (spent) return spent
  throw tooMuchCredit(shop, account?.balanceMinor ?? 0)
}

/** The card of somebody who leaves none on file. */
const guestCard = (customer: Customer): NonNullable<Payment['card']> => ({
  brand: 'Visa',
  lastDigits: '4242',
  expiryMonth: 8,
  expiryYear: 2060,
  holder: displayNameOf(customer)
})

function contractOf(shop: Shop, customer: Customer, offer: Offer, paymentToken: string, now: Temporal.Instant) {
  const { interval, intervalCount } = offer.plan.billingPolicy
  return {
    id: null,
    customerId: customer.id,
    currency: shop.currency,
    status: 'ACTIVE' as const,
    nextBillingAt: stepsFrom(now, interval, intervalCount, shop.timezone).toString(),
    // Counted from the day of joining, so that a short month does not shift later dates.
    cycleAnchorAt: now,
    cycleAnchorIndex: 0,
    billingPolicy: offer.plan.billingPolicy,
    deliveryPolicy: offer.plan.deliveryPolicy,
    deliveryPriceMinor: 0,
    paymentToken,
    originOrderId: null,
    note: null,
    customAttributes: [],
    lines: [{ ...contractLine(offer), id: randomUUID() }],
    discounts: []
  }
}

function contractLine({ plan, product, variant }: Offer) {
  return {
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
