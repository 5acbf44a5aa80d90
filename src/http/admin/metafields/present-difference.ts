import { type Static, Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import type { MetafieldFound } from '#mirror'
import { OrNull, Timestamp } from '#resources'

export const MetafieldDifferenceBody = Type.Object(
  {
    owner: Type.String({ description: '`shop`, `customer` or `discount`' }),
    customer_id: OrNull(Type.String({ description: 'Of a customer, the id here: `cust_24`' })),
    platform_id: OrNull(Type.String({ description: "The platform's number of the shop, customer or discount" })),
    key: Type.String({ description: 'The key of the metafield, in the namespace `svc`' }),
    wanted: OrNull(Type.String({ description: 'Its value as it is to be; null where it is not to be there' })),
    found: OrNull(Type.String({ description: 'Its value on the platform; null where it is not there' })),
    waiting_since: OrNull(Timestamp('Since when its owner waits to be compared or written; null when nothing waits')),
    next_try_at: OrNull(
      Timestamp('When that is tried next, at once where it is not in the future; null when nothing waits')
    ),
    last_error: OrNull(
      Type.String({
        description: 'Why the last try came to nothing; null after one that succeeded, and when nothing waits'
      })
    ),
    problem: OrNull(Type.String({ description: 'Why it cannot be as it is wanted' }))
  },
  {
    title: 'MetafieldDifference',
    description: 'A metafield that is not on the platform as it is to be.',
    examples: [
      {
        owner: 'customer',
        customer_id: 'cust_24',
        platform_id: '7064055069370',
        key: 'svc_st',
        wanted: '12.50',
        found: '10.00',
        waiting_since: '2026-11-15T06:25:00.000Z',
        next_try_at: '2026-11-15T06:30:00.000Z',
        last_error: 'The platform did not respond in time',
        problem: null
      }
    ]
  }
)

export function presentDifference(one: MetafieldFound): Static<typeof MetafieldDifferenceBody> {
  return {
    owner: one.kind,
    customer_id: one.kind === 'customer' ? publicId('cust', one.ownerId) : null,
    platform_id: one.platformId,
    key: one.key,
    wanted: one.wanted,
    found: one.found,
    waiting_since: isoOrNull(one.waitsSince),
    next_try_at: isoOrNull(one.nextTryAt),
    last_error: one.lastError,
    problem: one.problem
  }
}
