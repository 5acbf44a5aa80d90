import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { type ListedEntry, listPointsEntries } from '#points'
import { OrNull } from '#resources'
import type { Surface } from '../../../shared/surface.ts'
import { Before, Page, PageLimit, pageOf } from '../../fields.ts'
import { storeOf } from '../../store.ts'
import { LoyaltyCustomerParams, namedCustomer } from '../loyalty-customer.ts'

const PointsEntryBody = Type.Object(
  {
    id: Type.Integer({ description: 'The id of the entry' }),
    type: OrNull(
      Type.String({
        description:
          'pending, earned, spent, reversed, expired, or adjusted (by hand, by a file, by a merge of customers); null in entries of versions that did not know it'
      })
    ),
    points: Type.Integer({ description: 'What it changes of the points that can be spent' }),
    pending_points: Type.Integer({ description: 'What it changes of the pending points' }),
    lifetime_points: Type.Integer({ description: 'What it changes of all that was ever earned' }),
    balance_after: Type.Integer({ description: 'What could be spent after it' }),
    reason: Type.String({ description: 'Why, such as the name of a rule' }),
    order_id: OrNull(Type.String({ description: 'The order of which it is' })),
    expires_at: OrNull(Type.String({ format: 'date-time', description: 'When what is left of these points expires' })),
    created_at: Type.String({ format: 'date-time', description: 'When it was entered' })
  },
  {
    title: 'PointsEntry',
    description: 'An entry of the ledger of points.',
    examples: [
      {
        id: 71,
        type: 'earned',
        points: 80,
        pending_points: 0,
        lifetime_points: 80,
        balance_after: 380,
        reason: 'Points for purchases',
        order_id: 'ord_31',
        expires_at: null,
        created_at: '2026-01-31T15:00:00Z'
      }
    ]
  }
)

/** GET /stores/{store}/loyalty/customers/{customer}/points */
export function listPointsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/customers/:customer/points',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listCustomerPoints',
        summary: "List the entries of a customer's points",
        description: 'Newest first.',
        params: LoyaltyCustomerParams,
        querystring: Type.Object({
          limit: PageLimit,
          before: Before('an entry', 'older entries', 71)
        }),
        response: { 200: Page(PointsEntryBody, 'The entries') }
      }
    },
    (request) => {
      const { limit = 50, before: beforeId = null } = request.query
      return request.inStore(async (ctx) => {
        const memberId = await namedCustomer(ctx, request.params.customer, storeOf(request).platformProfile)
        const found = await listPointsEntries(ctx, { memberId, beforeId, limit: limit + 1 })
        return pageOf(found, limit, presentEntry)
      })
    }
  )
}

const presentEntry = (entry: ListedEntry): Static<typeof PointsEntryBody> => ({
  id: entry.id,
  type: entry.type,
  points: entry.points,
  pending_points: entry.pendingPoints,
  lifetime_points: entry.lifetimePoints,
  balance_after: entry.balanceAfter,
  reason: entry.reason,
  order_id: entry.orderId === null ? null : publicId('ord', entry.orderId),
  expires_at: isoOrNull(entry.expiresAt),
  created_at: isoOf(entry.createdAt)
})
