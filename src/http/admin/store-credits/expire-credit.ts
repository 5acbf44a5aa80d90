import { Type } from 'typebox'
import { expireCredits } from '#credits'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'

const ExpiredBody = Type.Object(
  { expired: Type.Integer({ description: 'How many lots have expired, and how many reservations have ended' }) },
  { title: 'ExpiredCredit', description: 'What was due to expire.', examples: [{ expired: 12 }] }
)

/** POST /stores/{store}/store-credits/expire */
export function expireCreditRoute(admin: Surface, { db }: AdminDeps): void {
  admin.post(
    '/stores/:store/store-credits/expire',
    {
      config: { allow: 'support', mayTakeLong: true },
      schema: {
        operationId: 'expireCredit',
        summary: 'Expire store credit that is due',
        description:
          "Expires all credit whose date has passed on the store's clock, and ends reservations whose time is over. The service does so by itself a moment later.",
        params: StoreParams,
        body: Type.Object({}),
        response: { 200: ExpiredBody }
      }
    },
    async (request) => {
      const { storeId } = storeOf(request)
      let expired = 0
      for (let batch = -1; batch !== 0; expired += batch) batch = await db.inStore(storeId, expireCredits)
      return { expired }
    }
  )
}
