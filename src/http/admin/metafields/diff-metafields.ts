import { Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { invalidField } from '#kit/refusal'
import { diffMetafields } from '#mirror'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { NextComparison } from '../next-comparison.ts'
import { StoreParams, storeOf } from '../store.ts'
import { OneOwner, tagOwnerOf } from '../tags/tag-owner-of.ts'
import { MetafieldDifferenceBody, presentDifference } from './present-difference.ts'

const ACCEPTED_AFTER = 'the `next` of the page before, such as 512'

/** GET /stores/{store}/metafields */
export function diffMetafieldsRoute(admin: Surface, deps: AdminDeps): void {
  admin.get(
    '/stores/:store/metafields',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'diffMetafields',
        summary: 'Compare metafields with the platform',
        description:
          'Reads the metafields of the shop and of customers from the platform, and lists those that differ from what they are to be. Of all, 188 customers are compared at once: a page may be empty although others follow. It changes nothing.',
        params: StoreParams,
        querystring: Type.Object({
          customer: OneOwner.customer,
          after: Type.Optional(text(20, ACCEPTED_AFTER, { meaning: 'The list goes on there', examples: ['512'] }))
        }),
        response: {
          200: Type.Object({
            differences: Type.Array(MetafieldDifferenceBody, {
              description: 'Metafields that are not as they are to be'
            }),
            compared: Type.Integer({
              description: 'How many owners were compared: customers, and on the first page the shop and its discounts',
              examples: [189]
            }),
            next_comparison_at: NextComparison,
            next: Type.Union([Type.String(), Type.Null()], {
              description: 'The `after` of the next page; null on the last page',
              examples: [null]
            })
          })
        }
      }
    },
    async (request) => {
      const { customer, after } = request.query
      const owner = await tagOwnerOf(request, { customer })
      const place = owner ? { memberId: owner.ownerId } : { afterId: placeOf(after) }
      const { differences, compared, next, nextComparisonAt } = await diffMetafields(
        deps,
        storeOf(request).storeId,
        place
      )
      return {
        differences: differences.map(presentDifference),
        compared,
        next_comparison_at: isoOrNull(nextComparisonAt),
        next: next === null ? null : String(next)
      }
    }
  )
}

function placeOf(after: string | undefined): number | null {
  if (after === undefined) return null
  if (!/^\d{1,15}$/.test(after)) throw invalidField('after', `must be ${ACCEPTED_AFTER}`)
  return Number(after)
}
