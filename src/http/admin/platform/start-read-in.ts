import { Type } from 'typebox'
import { seesAllOrders, storeDisconnected } from '#stores'
import { DEFAULT_ORDERS_DAYS, listReadIns, startReadIn } from '#sync'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { presentReadIn, ReadInBody } from './present-read-in.ts'

/** As long ago as any shop can have had an order. */
const MAX_DAYS = 10_000

/** POST /stores/{store}/platform/read-in */
export function startReadInRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/platform/read-in',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'startReadIn',
        summary: 'Read in a store',
        description:
          "Reads the customers, the subscription contracts and the recent orders that the store had on its platform before it was connected, in the background, by the platform's bulk operations. One that is under way goes on; orders from an earlier day begin anew. Reading in again changes nothing that is known. For a sandbox store the response comes when its due work is done.",
        params: StoreParams,
        body: Type.Object({
          orders_days: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: MAX_DAYS,
              default: DEFAULT_ORDERS_DAYS,
              description: `an integer from 1 to ${MAX_DAYS}`,
              meaning: `Orders of so many days are read; ${DEFAULT_ORDERS_DAYS} when left out, as many as the platform shows without the scope read_all_orders`,
              examples: [60]
            })
          )
        }),
        response: { 202: ReadInBody }
      }
    },
    async (request, reply) => {
      const store = storeOf(request)
      if (store.status !== 'active') throw storeDisconnected(store.domain)
      const days = request.body.orders_days ?? DEFAULT_ORDERS_DAYS
      await request.inStore((ctx) => startReadIn(ctx, ctx.now.subtract({ hours: 24 * days })))
      await startDueWork(deps, store)
      const [parts, seesAll] = await request.inStore(
        async (ctx) => [await listReadIns(ctx), await seesAllOrders(ctx)] as const
      )
      return reply.code(202).send(presentReadIn(parts, seesAll))
    }
  )
}
