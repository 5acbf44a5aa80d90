import { publicId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { type CustomerReference, checkCountry, fetchCustomer, upsertCustomers } from '#members'
import { findPlan, type Plan, tierOf } from '#plans'
import { type Connector, type ContractRequest, choosePaymentMethod, type PlatformResult } from '#platform'
import { findMemberships } from '#subscriptions'

const MAX_DAYS_AHEAD = 5 * 366

/** A request to create a subscription without a checkout. What is null comes from the plan. */
export type SubscriptionRequest = {
  customer: CustomerReference
  planId: number
  /** The platform's number of the variant that is sold; required for a plan of products, refused otherwise. */
  variantId: string | null
  /** Units of the variant; null is one. */
  quantity: number | null
  /** Must be in the future: creating a subscription charges nothing. */
  nextBillingAt: Temporal.Instant
  /** The platform's global id, or its last part; null: the customer's only one. */
  paymentMethodId: string | null
  /** Of one unit. */
  priceMinor: number | null
  maxCycles: number | null
  status: 'active' | 'paused'
  /** The receiver of a gift. */
  receiver: CustomerReference | null
}

/** The request to the platform; customer, plan, payment method and receiver are read and checked first. */
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
  // The country of who holds the membership counts.
  if (receiver) checkCountry(plan, receiver.countryCode, 'receiver')
  else checkCountry(plan, customer.countryCode, 'customer')
  const cards = known(await connector.customers.findPaymentMethods([customer.id])).get(customer.id) ?? []
  const { id: paymentMethodId, problem } = choosePaymentMethod(requested.paymentMethodId, cards)
  if (problem !== null)
    throw new Refusal('invalid_request', problem, [{ field: 'payment_method_id', code: 'invalid', message: problem }])
  await db.inStore(storeId, async (ctx) => {
    const { nextBillingAt: at } = requested
    const isAhead = Temporal.Instant.compare(at, ctx.now) > 0
    if (!isAhead || Temporal.Instant.compare(at, ctx.now.add({ hours: MAX_DAYS_AHEAD * 24 })) > 0) {
      throw invalidField('next_billing_date', 'must be a date after now and at most 5 years ahead')
    }
    const members = await upsertCustomers(ctx, receiver ? [customer, receiver] : [customer])
    const tier = tierOf(plan)
    if (!receiver || !tier) return
    const { activeTiers } = await findMemberships(ctx, members.get(receiver.id)!.id)
    if (activeTiers.includes(tier))
      throw invalidField('receiver', 'must be a customer without an active membership of this tier')
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
  if (!plan) throw invalidField('plan_id', 'must be the id of a plan of this store', 'not_found')
  if (plan.status === 'disabled') {
    throw new Refusal('conflict', `Plan ${publicId('plan', plan.id)} is disabled: nobody can join it`, [
      { field: 'plan_id', code: 'invalid', message: 'must be the id of a plan that is enabled' }
    ])
  }
  return plan
}

/** The variant that is sold: a membership's own, or the one given of the plan's products. */
async function variantOf(
  connector: Connector,
  { platformVariantId, productIds }: Plan,
  { variantId, quantity, receiver }: SubscriptionRequest
): Promise<string> {
  if (platformVariantId !== null) {
    if (variantId !== null) throw invalidField('variant_id', 'is accepted only with a plan of products')
    if (quantity !== null) throw invalidField('quantity', 'is accepted only with a plan of products')
    return platformVariantId
  }
  if (receiver) throw invalidField('receiver', 'is accepted only with a membership: products are for who pays')
  const accepts = 'must be the id of a variant of a product that the plan sells'
  if (variantId === null) throw invalidField('variant_id', `${accepts}; it is required for a plan of products`)
  const productId = known(await connector.products.findByVariants([variantId])).get(variantId)
  if (productId === undefined) throw invalidField('variant_id', accepts, 'not_found')
  if (!productIds.includes(productId)) throw invalidField('variant_id', accepts)
  return variantId
}

/** The platform's result. That it does not respond is a refusal to the caller. */
export function known<T>(result: PlatformResult<T>): T {
  if (!result.ok) throw new Refusal('unavailable', `The platform did not respond: ${result.failure.message}`)
  return result.value
}
