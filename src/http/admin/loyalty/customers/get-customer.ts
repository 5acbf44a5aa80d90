import { type Static, Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { findCustomerLoyalty, listRulesWithProgress, RuleCache, type RuleWithProgress } from '#loyalty'
import { OrNull, Timestamp } from '#resources'
import type { Surface } from '../../../shared/surface.ts'
import { storeOf } from '../../store.ts'
import { LoyaltyCustomerParams, namedCustomer } from '../loyalty-customer.ts'

const RuleProgressBody = Type.Object({
  id: Type.Integer({ description: 'The id of the rule' }),
  name: Type.String({ description: 'Its name' }),
  type: Type.String({ description: 'For what it rewards' }),
  status: Type.Integer({ description: '1 while it is enabled and within its dates, else 0' }),
  completed: Type.Boolean({ description: 'Whether a reward of it stands; false where it never ends' }),
  current: OrNull(Type.Integer({ description: 'How far the customer is; null where it never ends' })),
  required: OrNull(Type.Integer({ description: 'What it needs; null where it never ends' })),
  percentage: OrNull(Type.Integer({ description: 'Rounded down, at most 100; null where it never ends' }))
})

const CustomerLoyaltyBody = Type.Object(
  {
    customer_id: Type.String({ description: 'The customer id' }),
    loyalty_points: Type.Integer({ description: 'What can be spent' }),
    pending_points: Type.Integer({ description: 'Earned, but not to be spent yet' }),
    lifetime_points: Type.Integer({ description: 'All that were ever earned, without what was taken back' }),
    tier: OrNull(Type.String({ description: 'The name of the tier' })),
    tier_since: OrNull(Timestamp('Since when the customer is in it')),
    tier_review_at: OrNull(Timestamp('When it may be lost at the earliest; null: it needs nothing')),
    next_tier: OrNull(Type.String({ description: 'The name of the active tier above' })),
    next_tier_points: OrNull(
      Type.Integer({ description: 'How many points that one needs yet; null where it asks for none' })
    ),
    referral_url: OrNull(Type.String({ description: 'The address by which friends come' })),
    coupons_count: Type.Integer({ description: 'How many coupons the customer has' }),
    rules: Type.Array(RuleProgressBody, { description: 'The rules that are not archived' })
  },
  {
    title: 'CustomerLoyalty',
    description: 'The points of a customer, and how far they are with each rule.',
    examples: [
      {
        customer_id: 'cust_24',
        loyalty_points: 380,
        pending_points: 50,
        lifetime_points: 900,
        tier: 'Silver',
        tier_since: '2026-11-20T04:00:00.000Z',
        tier_review_at: '2027-11-20T04:00:00.000Z',
        next_tier: 'Gold',
        next_tier_points: 120,
        referral_url: null,
        coupons_count: 0,
        rules: [
          {
            id: 12,
            name: 'Spend 100',
            type: 'goal_spend',
            status: 1,
            completed: false,
            current: 49,
            required: 100,
            percentage: 49
          }
        ]
      }
    ]
  }
)

/** GET /stores/{store}/loyalty/customers/{customer} */
export function getCustomerLoyaltyRoute(admin: Surface): void {
  const cache = new RuleCache()
  admin.get(
    '/stores/:store/loyalty/customers/:customer',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getCustomerLoyalty',
        summary: 'Read the loyalty data of a customer',
        description: 'The points, and the progress with each rule as the Loyalty API shows it to the customer.',
        params: LoyaltyCustomerParams,
        response: { 200: CustomerLoyaltyBody }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const memberId = await namedCustomer(ctx, request.params.customer, storeOf(request).platformProfile)
        const found = await findCustomerLoyalty(ctx, memberId)
        const completed = new Set(found.completedRules)
        const rules = await listRulesWithProgress(ctx, cache, memberId)
        return {
          customer_id: publicId('cust', memberId),
          loyalty_points: found.points,
          pending_points: found.pendingPoints,
          lifetime_points: found.lifetimePoints,
          tier: found.tier?.name ?? null,
          tier_since: isoOrNull(found.tier?.enteredAt ?? null),
          tier_review_at: isoOrNull(found.tier?.reviewAt ?? null),
          next_tier: found.nextTier?.name ?? null,
          next_tier_points: found.nextTier?.pointsRemaining ?? null,
          referral_url: found.referralUrl,
          coupons_count: found.couponsCount,
          rules: rules.map((one) => presentProgress(one, completed.has(one.rule.id)))
        }
      })
  )
}

const presentProgress = (
  { rule, completion }: RuleWithProgress,
  completed: boolean
): Static<typeof RuleProgressBody> => ({
  id: rule.id,
  name: rule.name,
  type: rule.type.name,
  status: rule.isActive ? 1 : 0,
  completed,
  ...(completion ?? { current: null, required: null, percentage: null })
})
