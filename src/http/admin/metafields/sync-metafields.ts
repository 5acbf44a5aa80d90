import { type Static, Type } from 'typebox'
import { metafieldsSyncedSince, syncMetafields } from '#mirror'
import { OrNull } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { requireConnected, workUntilSynced } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { OneOwner, tagOwnerOf } from '../tags/tag-owner-of.ts'

const count = (description: string) => OrNull(Type.Integer({ description: `${description}; null for a live store` }))

const SyncBody = Type.Object(
  {
    scope: Type.String({ description: '`store` or `customer`: whose metafields are corrected' }),
    compared: OrNull(
      Type.Integer({
        description: 'How many customers were compared; null where that is not at its end, as for a live store'
      })
    ),
    written: count('How many metafields were set on the platform'),
    deleted: count('How many were deleted there'),
    changed_by_others: count('How many were otherwise than the service had left them, which an alert names'),
    waiting: count('How many owners wait to be compared or written again'),
    problems: count('How many have a metafield that cannot be written'),
    last_error: OrNull(Type.String({ description: 'Why the comparison does not go on at the moment' }))
  },
  {
    title: 'MetafieldSync',
    description: 'Metafields that are corrected now.',
    examples: [
      {
        scope: 'store',
        compared: 57,
        written: 3,
        deleted: 1,
        changed_by_others: 2,
        waiting: 0,
        problems: 0,
        last_error: null
      }
    ]
  }
)

const IN_THE_BACKGROUND = {
  compared: null,
  written: null,
  deleted: null,
  changed_by_others: null,
  waiting: null,
  problems: null,
  last_error: null
}

type MetafieldSync = Omit<Static<typeof SyncBody>, 'scope'>

/** POST /stores/{store}/metafields/sync */
export function syncMetafieldsRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/metafields/sync',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'syncMetafields',
        summary: 'Correct metafields now',
        description:
          'Has the metafields of one customer, or of the shop and all customers, read from the platform and corrected, without waiting for the schedule. For a sandbox store the response says what was done; for a live store it happens in the background.',
        params: StoreParams,
        body: Type.Object({ customer: OneOwner.customer }, { examples: [{ customer: 'cust_24' }] }),
        response: { 202: SyncBody }
      }
    },
    async (request, reply) => {
      const store = storeOf(request)
      requireConnected(store)
      const owner = await tagOwnerOf(request, request.body)
      const memberId = owner?.ownerId ?? null
      const before = await request.inStore((ctx) => syncMetafields(ctx, memberId))
      const done = await workUntilSynced(deps, store, async (): Promise<MetafieldSync> => {
        const { changedByOthers, lastError, ...synced } = await request.inStore((ctx) =>
          metafieldsSyncedSince(ctx, before, memberId)
        )
        return { ...synced, changed_by_others: changedByOthers, last_error: lastError }
      })
      return reply.code(202).send({ scope: owner ? 'customer' : 'store', ...(done ?? IN_THE_BACKGROUND) })
    }
  )
}
