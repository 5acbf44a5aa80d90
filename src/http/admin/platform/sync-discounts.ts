import { showDiscounts, syncDiscounts } from '#mirror'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { requireConnected, workUntil } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { DiscountsBody, presentDiscounts } from './discounts-body.ts'

/** POST /stores/{store}/platform/discounts/sync */
export function syncDiscountsRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/platform/discounts/sync',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'syncPlatformDiscounts',
        summary: 'Correct the discounts of members now',
        description:
          'Has the automatic discounts that give members their prices, and those on their product subscriptions, compared with the platform and corrected, without waiting for the next hour or day. Returns them: for a sandbox store as they are then, for a live store as they were before, since that happens in the background.',
        params: StoreParams,
        response: { 202: DiscountsBody }
      }
    },
    async (request, reply) => {
      const store = storeOf(request)
      requireConnected(store)
      await request.inStore(syncDiscounts)
      const show = () => request.inStore(showDiscounts)
      const shown = await workUntil(deps, store, show, ({ isUnderWay }) => !isUnderWay)
      return reply.code(202).send(presentDiscounts(shown ?? (await show())))
    }
  )
}
