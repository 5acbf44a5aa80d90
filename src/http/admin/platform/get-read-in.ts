import { Refusal } from '#kit/refusal'
import { seesAllOrders } from '#stores'
import { listReadIns } from '#sync'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams, storeOf } from '../store.ts'
import { presentReadIn, ReadInBody } from './present-read-in.ts'

/** GET /stores/{store}/platform/read-in */
export function getReadInRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/platform/read-in',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getReadIn',
        summary: 'Get how far a store is read in',
        description: 'The reading that is under way, or the last one.',
        params: StoreParams,
        response: { 200: ReadInBody }
      }
    },
    async (request) => {
      const [parts, seesAll] = await request.inStore(
        async (ctx) => [await listReadIns(ctx), await seesAllOrders(ctx)] as const
      )
      if (parts.length === 0) throw new Refusal('not_found', `${storeOf(request).domain} was not read in yet`)
      return presentReadIn(parts, seesAll)
    }
  )
}
