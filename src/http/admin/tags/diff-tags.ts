import { Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { invalidField } from '#kit/refusal'
import { diffTags } from '#mirror'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { NextComparison } from '../next-comparison.ts'
import { StoreParams, storeOf } from '../store.ts'
import { presentTagOwner, TagOwnerBody } from './present-owner.ts'
import { OneOwner, tagOwnerOf } from './tag-owner-of.ts'

const ACCEPTED_AFTER = 'the `next` of the page before, such as customer:512'

/** GET /stores/{store}/tags */
export function diffTagsRoute(admin: Surface, deps: AdminDeps): void {
  admin.get(
    '/stores/:store/tags',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'diffTags',
        summary: 'Compare tags with the platform',
        description:
          'Reads the tags of customers and orders from the platform, and lists those that differ from what the service wants, wait for the platform or have a problem; of one customer or order what there is in any case. Of all, 200 are compared at once: a page may be empty although others follow. It changes nothing.',
        params: StoreParams,
        querystring: Type.Object({
          ...OneOwner,
          after: Type.Optional(
            text(30, ACCEPTED_AFTER, { meaning: 'The list goes on there', examples: ['customer:512'] })
          )
        }),
        response: {
          200: Type.Object({
            data: Type.Array(TagOwnerBody, { description: 'Those that differ' }),
            compared: Type.Integer({ description: 'How many were compared', examples: [200] }),
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
      const owner = await tagOwnerOf(request, request.query)
      const { compared, owners, next, nextComparisonAt } = await diffTags(
        deps,
        storeOf(request).storeId,
        owner ?? { after: placeOf(request.query.after) }
      )
      return {
        data: owners.map(presentTagOwner),
        compared,
        next_comparison_at: isoOrNull(nextComparisonAt),
        next: next && `${next.kind}:${next.afterId}`
      }
    }
  )
}

function placeOf(after: string | undefined) {
  if (after === undefined) return null
  const [, kind, id] = /^(customer|order):(\d{1,15})$/.exec(after) ?? []
  if (!kind) throw invalidField('after', `must be ${ACCEPTED_AFTER}`)
  return { kind: kind as 'customer' | 'order', afterId: Number(id) }
}
