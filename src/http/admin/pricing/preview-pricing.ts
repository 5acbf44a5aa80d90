import { type Static, Type } from 'typebox'
import { internalId } from '#kit/ids'
import { invalidField } from '#kit/refusal'
import { fetchCustomer, findKnownCustomers } from '#members'
import { cartFrom, findMainPlans, listPlans, type Plan, tierOf, tierPlansOf, withPerks } from '#plans'
import { type PricingContext, priceCart } from '#plans/pricing'
import type { Store } from '#stores'
import { findMemberships } from '#subscriptions'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../../shared/parse-customer.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'
import { CartPriceBody, presentCartPrice } from './present-cart-price.ts'

const PreviewBody = Type.Object(
  {
    cart: Type.Record(Type.String(), Type.Unknown(), {
      description: 'an object with lines, charge, country, shipping',
      meaning: 'What is bought'
    }),
    customer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 330,
        description: ACCEPTED_CUSTOMER,
        meaning: 'Who buys it, with the memberships that they hold; without it, somebody who never held one',
        examples: ['cust_24']
      })
    ),
    plan_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'the id of a membership plan of this store',
        meaning: 'Instead of `customer`: an active member of this plan, with its perks, also while it is disabled',
        examples: ['plan_3']
      })
    ),
    perks: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'an object with discount, welcome_offer, free_shipping, store_credit',
        meaning: 'With `plan_id`: perks as in a change of the plan, of which the prices are, before they are saved',
        examples: [{ discount: { value: 10, type: 'percentage', applies_to: 'all' } }]
      })
    )
  },
  {
    examples: [
      {
        customer: 'cust_24',
        cart: {
          country: 'AT',
          shipping: { method: 'Standard', price: '5.00' },
          lines: [{ product_id: '7064055069311', quantity: 2, price: '10.00', tags: ['NO-VIP-DISCOUNT'] }]
        }
      }
    ]
  }
)

/** POST /stores/{store}/pricing/preview */
export function previewPricingRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/pricing/preview',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'previewPricing',
        summary: 'Preview the price of a cart',
        description:
          'What a cart costs with the perks of a membership, and why, line by line. It changes nothing. The rules are in docs/pricing.md. A field of `cart` that is wrong is named by its path, such as `cart.lines[1].price`.',
        params: StoreParams,
        body: PreviewBody,
        response: { 200: CartPriceBody }
      }
    },
    async (request) => {
      const store = storeOf(request)
      const { currency } = store
      const [plans, mainPlans] = await request.inStore(async (ctx) => {
        const all = await listPlans(ctx)
        return [all, await findMainPlans(ctx, all)] as const
      })
      const cart = cartFrom(request.body.cart, currency, plans)
      const { member, main } = await buyerOf(deps, store, { plans, main: mainPlans }, request.body)
      const price = priceCart(cart, {
        plans: tierPlansOf(main),
        member
      })
      return presentCartPrice(price, { cart, member, plan: price.tier && main[price.tier], currency })
    }
  )
}

type MainPlans = Awaited<ReturnType<typeof findMainPlans>>
type Buyer = { member: PricingContext['member']; main: MainPlans }

/** Who buys, and the plan whose perks count for each tier. */
async function buyerOf(
  deps: AdminDeps,
  store: Store,
  { plans, main }: { plans: Plan[]; main: MainPlans },
  { customer, plan_id: planId, perks }: Static<typeof PreviewBody>
): Promise<Buyer> {
  if (planId === undefined) {
    if (perks !== undefined) throw invalidField('perks', 'is accepted only with plan_id, whose perks it changes')
    return { member: customer === undefined ? null : await memberOf(deps, store, customer), main }
  }
  if (customer !== undefined) throw invalidField('plan_id', 'is accepted only without customer, whose plans are known')
  const id = internalId('plan', planId)
  const plan = plans.find((one) => one.id === id)
  const tier = plan && tierOf(plan)
  if (!plan || !tier) throw invalidField('plan_id', 'must be the id of a membership plan of this store', 'not_found')
  const shown = perks === undefined ? plan : withPerks(plan, perks)
  return { member: { activeTiers: [tier], heldMembership: true }, main: { ...main, [tier]: shown } }
}

/** The memberships of a customer. One who is not known here is looked up on the platform: they never held one. */
async function memberOf(
  { db, connectorOf }: AdminDeps,
  { storeId, platformProfile }: Store,
  customer: string
): Promise<NonNullable<PricingContext['member']>> {
  const reference = parseCustomer('customer', customer, platformProfile)
  const memberships = await db.inStore(storeId, async (ctx) => {
    const [id, ...others] = await findKnownCustomers(ctx, reference)
    if (others.length > 0) {
      throw invalidField('customer', 'must reference one customer: several have this address, so give an id')
    }
    return id === undefined ? null : findMemberships(ctx, id)
  })
  if (memberships) return memberships
  await fetchCustomer(db, storeId, await connectorOf(storeId), reference, 'customer')
  return { activeTiers: [], heldMembership: false }
}
