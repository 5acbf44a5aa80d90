import { showDiscounts } from '#mirror'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams } from '../store.ts'
import { DiscountsBody, presentDiscounts } from './discounts-body.ts'

/** GET /stores/{store}/platform/discounts */
export function getDiscountsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/platform/discounts',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getPlatformDiscounts',
        summary: 'Get the discounts of members',
        description:
          'How members get their prices and free shipping at the checkout: the automatic discounts that the service keeps there, as they were last compared, and the perks of the main plans that these do not give. Asks the platform nothing.',
        params: StoreParams,
        response: { 200: DiscountsBody }
      }
    },
    async (request) => presentDiscounts(await request.inStore(showDiscounts))
  )
}
