import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { Timestamp } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'

const AdvanceBody = Type.Object(
  {
    by: Type.Optional(text(100, 'an ISO 8601 duration such as P1M', { examples: ['P1M'] })),
    to: Type.Optional(
      text(100, 'an instant such as 2026-12-01T00:00:00Z', {
        meaning: 'In place of `by`',
        examples: ['2026-12-01T00:00:00Z']
      })
    )
  },
  { examples: [{ by: 'P1M' }] }
)

const Advanced = Type.Object(
  {
    now: Timestamp("The store's time now"),
    settled: Type.Boolean({ description: 'Whether everything that fell due is done' })
  },
  {
    title: 'AdvancedClock',
    description: 'A test clock after it was moved.',
    examples: [{ now: '2027-06-28T08:00:00.000Z', settled: true }]
  }
)

/** POST /stores/{store}/clock/advance */
export function advanceClockRoute(admin: Surface, { advanceClock }: AdminDeps): void {
  admin.post(
    '/stores/:store/clock/advance',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'advanceClock',
        summary: 'Advance the test clock',
        description:
          "Moves a sandbox store's test clock by a duration or to an instant, at most ten years at once. The response comes when everything that fell due is done, deliveries included: set no short timeout. Months and days are counted on the shop's calendar.",
        params: StoreParams,
        body: AdvanceBody,
        response: { 200: Advanced }
      }
    },
    async (request) => {
      const { now, settled } = await advanceClock(storeOf(request).storeId, request.body)
      return { now: isoOf(now), settled }
    }
  )
}
