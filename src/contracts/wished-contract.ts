import { publicId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { type CustomerSaid, checkCountry, lookUpCustomer, meetCustomers } from '#members'
import { findPlan, type Plan } from '#plans'
import { type Connector, type ContractRequest, choosePaymentMethod, type PlatformResult } from '#platform'

const MOST_DAYS_AHEAD = 5 * 366

/** A subscription that is to be made without a checkout. What is left open is the plan's. */
export type SubscriptionWish = {
  customer: CustomerSaid
  planId: number
  /** The platform's number of what is sold; only with a plan of products, which needs it. */
  variantId: string | null
  /** How many of it; null is one. */
  quantity: number | null
  /** Must lie ahead: nothing is charged by it. */
  nextBillingAt: Temporal.Instant
  /** The platform's global id, or its last part; null: the only one there is. */
  paymentMethodId: string | null
  /** Of one. */
  priceMinor: number | null
  maxCycles: number | null
  status: 'active' | 'paused'
  /** Whom it is a gift for. */
  receiver: CustomerSaid | null
}

/** The contract that is wished for; its customer, plan, payment method and receiver are looked at first. */
export async function requestFor(
  db: Database,
  storeId: number,
  connector: Connector,
  wish: SubscriptionWish,
  key: string
): Promise<ContractRequest> {
  const plan = onSale(await db.inStore(storeId, (ctx) => findPlan(ctx, wish.planId)))
  const variantId = await variantOf(connector, plan, wish)
  const customer = await lookUpCustomer(db, storeId, connector, wish.customer, 'customer')
  const receiver = wish.receiver && (await lookUpCustomer(db, storeId, connector, wish.receiver, 'receiver'))
  if (receiver?.id === customer.id) throw invalidField('receiver', 'takes another customer than the one who pays')
  // A membership is for who holds it.
  if (receiver) checkCountry(plan, receiver.countryCode, 'receiver')
  else checkCountry(plan, customer.countryCode, 'customer')
  const cards = known(await connector.customers.findPaymentMethods([customer.id])).get(customer.id) ?? []
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
    variantId,
    quantity: wish.quantity ?? 1,
    priceMinor: wish.priceMinor ?? plan.priceMinor,
    sellingPlan: { id: plan.platformSellingPlanId, name: plan.name },
    giftReceiverId: receiver?.id ?? null
  }
}

function onSale(plan: Plan | null): Plan {
  if (!plan) throw invalidField('plan_id', 'takes the id of a plan of this store')
  if (plan.status === 'disabled') {
    throw new Refusal('conflict', `Plan ${publicId('plan', plan.id)} is disabled: nobody can join it`)
  }
  return plan
}

/** What is sold: a membership's own product, or the variant that is named of the products of the plan. */
async function variantOf(
  connector: Connector,
  { platformVariantId, productIds }: Plan,
  { variantId, quantity, receiver }: SubscriptionWish
): Promise<string> {
  if (platformVariantId !== null) {
    if (variantId !== null) throw invalidField('variant_id', 'is taken only with a plan of products')
    if (quantity !== null) throw invalidField('quantity', 'is taken only with a plan of products')
    return platformVariantId
  }
  if (receiver) throw invalidField('receiver', 'is taken only with a membership: products are for who pays')
  const takes = 'takes the id of a variant of a product that the plan sells'
  if (variantId === null) throw invalidField('variant_id', `${takes}; a plan of products needs it`)
  const productId = known(await connector.products.findByVariants([variantId])).get(variantId)
  if (productId === undefined || !productIds.includes(productId)) throw invalidField('variant_id', takes)
  return variantId
}

/** What the platform says; that it does not say it now is an answer to who asked. */
export function known<T>(result: PlatformResult<T>): T {
  if (!result.ok) throw new Refusal('unavailable', `The platform did not answer: ${result.failure.message}`)
  return result.value
}
