import { publicId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { type CustomerReference, checkCountry, fetchCustomer, upsertCustomers } from '#members'
import { findPlan, type Plan } from '#plans'
import { type Connector, type ContractRequest, choosePaymentMethod, type PlatformResult } from '#platform'

const MAX_DAYS_AHEAD = 5 * 366

/** A subscription that is to be made without a checkout. What is left open is the plan's. */
export type SubscriptionRequest = {
  customer: CustomerReference
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
  receiver: CustomerReference | null
}

/** The contract that is wished for; its customer, plan, payment method and receiver are looked at first. */
export async function contractRequestFor(
  db: Database,
  storeId: number,
  connector: Connector,
  requested: SubscriptionRequest,
  key: string
): Promise<ContractRequest> {
  const plan = onSale(await db.inStore(storeId, (ctx) => findPlan(ctx, requested.planId)))
  const variantId = await variantOf(connector, plan, requested)
  const customer = await fetchCustomer(db, storeId, connector, requested.customer, 'customer')
  const receiver = requested.receiver && (await fetchCustomer(db, storeId, connector, requested.receiver, 'receiver'))
  if (receiver?.id === customer.id) throw invalidField('receiver', 'must be another customer than the one who pays')
  // A membership is for who holds it.
  if (receiver) checkCountry(plan, receiver.countryCode, 'receiver')
  else checkCountry(plan, customer.countryCode, 'customer')
  const cards = known(await connector.customers.findPaymentMethods([customer.id])).get(customer.id) ?? []
  const { id: paymentMethodId, problem } = choosePaymentMethod(requested.paymentMethodId, cards)
  if (problem !== null)
    throw new Refusal('invalid_request', problem, [{ field: 'payment_method_id', message: problem }])
  await db.inStore(storeId, async (ctx) => {
    const { nextBillingAt: at } = requested
    const isAhead = Temporal.Instant.compare(at, ctx.now) > 0
    if (!isAhead || Temporal.Instant.compare(at, ctx.now.add({ hours: MAX_DAYS_AHEAD * 24 })) > 0) {
      throw invalidField('next_billing_date', 'must be a date after now and at most 5 years ahead')
    }
    await upsertCustomers(ctx, receiver ? [customer, receiver] : [customer])
  })
  return {
    key,
    customerId: customer.id,
    status: requested.status,
    currency: plan.currency,
    interval: plan.interval,
    intervalCount: plan.intervalCount,
    maxCycles: requested.maxCycles ?? plan.maxCycles,
    nextBillingAt: requested.nextBillingAt,
    paymentMethodId,
    variantId,
    quantity: requested.quantity ?? 1,
    priceMinor: requested.priceMinor ?? plan.priceMinor,
    sellingPlan: { id: plan.platformSellingPlanId, name: plan.name },
    giftReceiverId: receiver?.id ?? null
  }
}

function onSale(plan: Plan | null): Plan {
  if (!plan) throw invalidField('plan_id', 'must be the id of a plan of this store')
  if (plan.status === 'disabled') {
    throw new Refusal('conflict', `Plan ${publicId('plan', plan.id)} is disabled: nobody can join it`)
  }
  return plan
}

/** What is sold: a membership's own product, or the variant that is named of the products of the plan. */
async function variantOf(
  connector: Connector,
  { platformVariantId, productIds }: Plan,
  { variantId, quantity, receiver }: SubscriptionRequest
): Promise<string> {
  if (platformVariantId !== null) {
    if (variantId !== null) throw invalidField('variant_id', 'is taken only with a plan of products')
    if (quantity !== null) throw invalidField('quantity', 'is taken only with a plan of products')
    return platformVariantId
  }
  if (receiver) throw invalidField('receiver', 'is taken only with a membership: products are for who pays')
  const accepts = 'must be the id of a variant of a product that the plan sells'
  if (variantId === null) throw invalidField('variant_id', `${accepts}; a plan of products needs it`)
  const productId = known(await connector.products.findByVariants([variantId])).get(variantId)
  if (productId === undefined || !productIds.includes(productId)) throw invalidField('variant_id', accepts)
  return variantId
}

/** What the platform says; that it does not say it now is an answer to who asked. */
export function known<T>(result: PlatformResult<T>): T {
  if (!result.ok) throw new Refusal('unavailable', `The platform did not answer: ${result.failure.message}`)
  return result.value
}
