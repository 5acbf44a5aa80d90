import { minorOf } from '#kit/money'
import type { Queries } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { orderMessages, type Payment, placeOrders } from '../billing/place-orders.ts'
import { GATEWAY } from '../billing/resolve-attempts.ts'
import type { Platform } from '../http.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import type { Shop } from '../shop.ts'
import { listCreditAccounts, moveCredit } from '../state/credit.ts'
import { type Customer, findCustomer } from '../state/customers.ts'
import { findDiscountByCode, useDiscount, usesByCustomer } from '../state/discounts.ts'
import type { OrderDiscount } from '../state/orders.ts'
import { listPaymentMethods } from '../state/payment-methods.ts'
import { saveCard } from './join.ts'
import { customerNotFound, idFrom, shopOf } from './refusals.ts'

export type NewTestOrder = {
  storeId: number
  customerId: string
  /** A decimal amount in the shop's currency. */
  total: string
  /** The part paid with store credit. */
  credit?: string | null
  /** A discount code, which reduces the total. */
  coupon?: string | null
  /** The sales channel: web, pos, … */
  channel?: string | null
}

/** Places a one-time order, paid at once, with one line of the given total. */
export async function placeOrder(platform: Platform, input: NewTestOrder): Promise<{ id: string; name: string }> {
  const shop = await shopOf(platform, input.storeId)
  const customerId = idFrom('customer', input.customerId)
  const linesMinor = minorOf(input.total, shop.currency, 'total')
  if (linesMinor <= 0) throw invalidField('total', 'must be an amount above zero')
  const creditMinor = input.credit ? minorOf(input.credit, shop.currency, 'credit') : 0
  if (creditMinor < 0) throw invalidField('credit', 'must be an amount of zero or more')
  const now = await platform.clock(shop.domain)
  return platform.db.inInstallation(async (q) => {
    const customer = await findCustomer(q, shop.storeId, customerId)
    if (!customer) throw customerNotFound(customerId)
    const discount = input.coupon ? await redeem(q, shop, customer, input.coupon, linesMinor, now) : null
    const totalMinor = linesMinor - (discount?.amountMinor ?? 0)
    if (creditMinor > totalMinor) throw invalidField('credit', 'must be at most what the order costs')
    if (creditMinor > 0) await spendCredit(q, shop, customer, creditMinor, now)
    const payments: Payment[] = []
    if (creditMinor > 0) payments.push({ gateway: 'shopify_store_credit', amountMinor: creditMinor, card: null })
    if (totalMinor > creditMinor) {
      await saveCard(q, shop.storeId, customer)
      const [card] = await listPaymentMethods(q, shop.storeId, [customer.id])
      payments.push({ gateway: GATEWAY, amountMinor: totalMinor - creditMinor, card: card ?? null })
    }
    const [placed] = await placeOrders(
      q,
      shop,
      [
        {
          customer,
          contractId: null,
          currency: shop.currency,
          lines: [
            {
              productId: null,
              variantId: null,
              title: 'Test purchase',
              variantTitle: null,
              sku: null,
              quantity: 1,
              priceMinor: linesMinor,
              discountMinor: discount?.amountMinor ?? 0,
              sellingPlanId: null,
              sellingPlanName: null
            }
          ],
          discounts: discount ? [discount] : [],
          shippingMinor: 0,
          payments,
          tags: [],
          sourceName: input.channel || 'web'
        }
      ],
      now
    )
    await queueWebhooks(q, shop, webhookMessage(orderMessages(shop, placed!)), now)
    return { id: placed!.order.id, name: `#${placed!.order.number}` }
  })
}

async function spendCredit(q: Queries, shop: Shop, customer: Customer, amountMinor: number, now: Temporal.Instant) {
  const account = (await listCreditAccounts(q, shop.storeId, [customer.id])).find(
    (candidate) => candidate.currency === shop.currency
  )
  const move = { accountId: account?.id ?? '0', amountMinor: -amountMinor, event: 'ORDER_PAYMENT', expiresAt: null }
  if (!account || !(await moveCredit(q, shop.storeId, move, now))) {
    throw new Refusal('conflict', 'The customer does not have that much store credit on the platform')
  }
}

/** Uses a code once and returns its reduction; refused if the code does not apply. */
async function redeem(
  q: Queries,
  shop: Shop,
  customer: Customer,
  code: string,
  linesMinor: number,
  now: Temporal.Instant
): Promise<OrderDiscount> {
  const no = (reason: string) => new Refusal('conflict', `The coupon ${code} does not apply: ${reason}`)
  const discount = await findDiscountByCode(q, shop.storeId, code)
  if (!discount) throw new Refusal('not_found', `There is no coupon ${code}`)
  const { body } = discount
  if (Temporal.Instant.compare(discount.startsAt, now) > 0) throw no('it has not started')
  if (discount.endsAt && Temporal.Instant.compare(discount.endsAt, now) <= 0) throw no('it has expired')
  const only = body.context?.customers?.add
  if (only && !only.some((id) => id.endsWith(`/${customer.id}`))) throw no('it belongs to another customer')
  const minimum = body.minimumRequirement?.subtotal?.greaterThanOrEqualToSubtotal
  if (minimum && linesMinor < minorOf(minimum, shop.currency)) throw no(`the order must come to ${minimum}`)
  if (body.appliesOncePerCustomer && (await usesByCustomer(q, shop.storeId, customer.id, code)) > 0) {
    throw no('the customer has used it')
  }
  if (!(await useDiscount(q, shop.storeId, discount.id, body.usageLimit ?? null))) throw no('it is used up')
  const { percentage, discountAmount } = body.customerGets?.value ?? {}
  const amountMinor =
    percentage !== undefined
      ? Math.round(linesMinor * percentage)
      : Math.min(linesMinor, discountAmount?.amount ? minorOf(discountAmount.amount, shop.currency) : 0)
  const shown = percentage === undefined ? null : Math.round(percentage * 100)
  return { code: discount.code ?? code, title: discount.title, amountMinor, percentage: shown }
}
