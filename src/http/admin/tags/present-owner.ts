import { type Static, Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import type { ComparedOwner } from '#mirror'
import { OrNull, Timestamp } from '#resources'

const tags = (description: string) => Type.Array(Type.String(), { description })

export const TagOwnerBody = Type.Object(
  {
    kind: Type.String({ description: '`customer` or `order`' }),
    customer_id: OrNull(Type.String({ description: 'Of a customer, the id here: `cust_24`' })),
    platform_id: Type.String({ description: "The platform's number of the customer or order" }),
    wanted: tags('The tags that it is to have from the service'),
    missing: tags('Wanted ones that the platform does not have'),
    surplus: tags('Tags that the service has added, which it is to have no more'),
    waiting_since: OrNull(
      Timestamp('Since when its tags wait to be compared or written; null when nothing is to be done')
    ),
    next_try_at: OrNull(
      Timestamp('When that is tried next, at once where it is not in the future; null when nothing is to be done')
    ),
    last_error: OrNull(
      Type.String({
        description: 'Why the last try came to nothing; null after one that succeeded, and when nothing is to be done'
      })
    ),
    problem: OrNull(Type.String({ description: 'Why a wanted tag cannot be there' }))
  },
  {
    title: 'TagOwner',
    description: 'A customer or an order, whose tags are compared with the platform.',
    examples: [
      {
        kind: 'customer',
        customer_id: 'cust_24',
        platform_id: '7064055069370',
        wanted: ['SVC: VIP: Active'],
        missing: ['SVC: VIP: Active'],
        surplus: [],
        waiting_since: '2026-11-15T06:25:00.000Z',
        next_try_at: '2026-11-15T06:30:00.000Z',
        last_error: 'The platform did not respond in time',
        problem: null
      }
    ]
  }
)

export function presentTagOwner(owner: ComparedOwner): Static<typeof TagOwnerBody> {
  const { kind, ownerId, platformId, wanted, difference, waitsSince, nextTryAt, lastError, problem } = owner
  return {
    kind,
    customer_id: kind === 'customer' ? publicId('cust', ownerId) : null,
    platform_id: platformId,
    wanted,
    missing: difference?.add ?? wanted,
    surplus: difference?.remove ?? [],
    waiting_since: isoOrNull(waitsSince),
    next_try_at: isoOrNull(nextTryAt),
    last_error: lastError,
    problem: problem ?? difference?.problem ?? (difference === null ? `The platform does not show the ${kind}` : null)
  }
}
