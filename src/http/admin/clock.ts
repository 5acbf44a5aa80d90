import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { requireStore } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import type { Surface } from '../shared/surface.ts'
import { StoreParams, text } from './fields.ts'

/** The test clock of a sandbox store. */
export function registerClock(admin: Surface, { db, advanceClock }: Pick<HttpDeps, 'db' | 'advanceClock'>): void {
  admin.post(
    '/stores/:store/clock/advance',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          by: Type.Optional(text(100, 'an ISO 8601 duration such as P1M')),
          to: Type.Optional(text(100, 'an instant such as 2026-12-01T00:00:00Z'))
        }),
        response: { 200: Type.Object({ now: Type.String(), settled: Type.Boolean() }) }
      }
    },
    async (request) => {
      const { storeId } = await requireStore(db, request.params.store)
      const { now, settled } = await advanceClock(storeId, request.body)
      return { now: isoOf(now), settled }
    }
  )
}
