import { Type } from 'typebox'
import { Refusal } from '#kit/refusal'
import { findCustomerLoyalty } from '#loyalty'
import { findKeptCustomerId, parseCustomerId } from '#members'
import { OrNull } from '#resources'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { customerOf } from '../shoppers.ts'

const Params = Type.Object({
  shopify_id: Type.String({
    description: 'a customer id',
    meaning: "The platform's number of the customer who is logged in, or their global id",
    examples: ['7064055069370']
  })
})

const CustomerLoyaltyBody = Type.Object(
  {
    shopify_id: Type.String({ description: "The platform's number of the customer" }),
    email: OrNull(Type.String({ description: 'As the platform has it' })),
    loyalty_points: Type.Integer({ description: 'What can be spent' }),
    pending_points: Type.Integer({ description: 'Earned, but not to be spent yet' }),
    lifetime_points: Type.Integer({ description: 'All that were ever earned, without what was taken back' }),
    tier: OrNull(Type.String({ description: 'The name of the tier' })),
    next_tier: OrNull(
      Type.Object(
        {
          name: Type.String({ description: 'Its name' }),
          points_remaining: OrNull(
            Type.Integer({ description: 'How many points it needs yet; null where it asks for none' })
          )
        },
        {
          title: 'NextTier',
          description: 'The active tier above.',
          examples: [{ name: 'Gold', points_remaining: 120 }]
        }
      )
    ),
    birth_date: OrNull(Type.String({ format: 'date', description: 'The birth date' })),
    referral_url: OrNull(Type.String({ description: 'The address by which friends come' })),
    completed_rules: Type.Array(Type.Integer(), {
      description: 'Ids of the rules that have rewarded the customer, archived ones too'
    }),
    coupons_count: Type.Integer({ description: 'How many coupons the customer has' })
  },
  {
    title: 'CustomerLoyalty',
    description: 'What a customer has and has reached.',
    examples: [
      {
        shopify_id: '7064055069370',
        email: 'hanna.ito@example.com',
        loyalty_points: 380,
        pending_points: 50,
        lifetime_points: 900,
        tier: 'Silver',
        next_tier: { name: 'Gold', points_remaining: 120 },
        birth_date: '1990-01-31',
        referral_url: null,
        completed_rules: [12],
        coupons_count: 0
      }
    ]
  }
)

/** GET /loyalty/customers/{shopify_id} (spec 2, Loyalty API). Whoever asks for somebody else does not learn whether they are known. */
export function getCustomerRoute(storefront: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  storefront.get(
    '/loyalty/customers/:shopify_id',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'getCustomerLoyalty',
        summary: 'Read the loyalty data of a customer',
        description:
          'Only of the customer who is logged in: 403 for any other. 404 while the store has nothing of this customer yet.',
        params: Params,
        response: { 200: Type.Object({ data: CustomerLoyaltyBody }, { description: 'The data.' }) }
      }
    },
    async (request) => {
      const { store, customerId } = customerOf(request)
      if (parseCustomerId(request.params.shopify_id, store.profile).platformId !== customerId) throw notTheirs()
      const found = await db.inStore(store.storeId, async (ctx) => {
        const memberId = await findKeptCustomerId(ctx, { memberId: null, platformId: customerId })
        if (memberId === null) throw new Refusal('not_found', `There is no customer ${customerId}`)
        return findCustomerLoyalty(ctx, memberId)
      })
      const { nextTier, birthDate } = found
      return {
        data: {
          shopify_id: customerId,
          email: found.email,
          loyalty_points: found.points,
          pending_points: found.pendingPoints,
          lifetime_points: found.lifetimePoints,
          tier: found.tier?.name ?? null,
          next_tier: nextTier && { name: nextTier.name, points_remaining: nextTier.pointsRemaining },
          birth_date: birthDate && String(birthDate),
          referral_url: found.referralUrl,
          completed_rules: found.completedRules,
          coupons_count: found.couponsCount
        }
      }
    }
  )
}

const notTheirs = () => new Refusal('forbidden', 'These data belong to another customer')
