import { Type } from 'typebox'
import { countCharges } from '#billing'
import { isoOf } from '#kit/clock'
import { Timestamp } from '#resources'
import { listAlerts } from '#stores'
import { countUndelivered } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { ProblemBody, presentProblem } from '../audit/present-problem.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'
import { AlertBody, presentAlert } from '../stores/present-alert.ts'

const MAX_ALERTS = 20

/** Charges that began before a move may end in it. */
const CHARGES_SINCE = { hours: 24 * 60 }

const since = (now: Temporal.Instant) => now.subtract(CHARGES_SINCE)

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
    settled: Type.Boolean({ description: 'Whether everything that fell due is done' }),
    problems: Type.Array(ProblemBody, { description: 'What does not work in the store after the move' }),
    charges: Type.Object(
      {
        succeeded: Type.Integer({ description: 'How many were paid' }),
        failed: Type.Integer({ description: 'How many failed' }),
        pending: Type.Integer({
          description: 'How many have no outcome yet, such as those that a customer has to confirm'
        })
      },
      { description: 'What came of charges during the move' }
    ),
    undelivered: Type.Integer({ description: 'How many webhook deliveries failed in every try during the move' }),
    alerts: Type.Array(AlertBody, { description: 'Alerts that were raised during the move, newest first, at most 20' })
  },
  {
    title: 'AdvancedClock',
    description: 'A test clock after it was moved.',
    examples: [
      {
        now: '2027-06-28T08:00:00.000Z',
        settled: true,
        problems: [],
        charges: { succeeded: 3, failed: 1, pending: 0 },
        undelivered: 0,
        alerts: []
      }
    ]
  }
)

/** POST /stores/{store}/clock/advance */
export function advanceClockRoute(admin: Surface, { advanceClock, status }: AdminDeps): void {
  admin.post(
    '/stores/:store/clock/advance',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'advanceClock',
        summary: 'Advance the test clock',
        description:
          "Moves a sandbox store's test clock by a duration or to an instant, at most ten years at once. The response comes when everything that fell due is done, deliveries included, and says what did not work meanwhile: set no short timeout. Months and days are counted on the shop's calendar.",
        params: StoreParams,
        body: AdvanceBody,
        response: { 200: Advanced }
      }
    },
    async (request) => {
      const { storeId } = storeOf(request)
      // What is of the instant where the move begins may be of the move before, which ended there: times alone do not tell.
      const before = await request.inStore(async (ctx) => ({
        now: ctx.now,
        alertId: (await listAlerts(ctx, { limit: 1 })).alerts[0]?.id ?? 0,
        undelivered: await countUndelivered(ctx, ctx.now),
        charges: await countCharges(ctx, since(ctx.now))
      }))
      const { from, now, settled } = await advanceClock(storeId, request.body)
      const { problems } = await status(storeId)
      const { charges, undelivered, alerts } = await request.inStore(async (ctx) => ({
        charges: await countCharges(ctx, since(before.now)),
        undelivered: await countUndelivered(ctx, from),
        alerts: (await listAlerts(ctx, { limit: MAX_ALERTS })).alerts
      }))
      return {
        now: isoOf(now),
        settled,
        problems: problems.map(presentProblem),
        charges: {
          succeeded: charges.succeeded - before.charges.succeeded,
          failed: charges.failed - before.charges.failed,
          pending: charges.pending
        },
        undelivered: from.equals(before.now) ? Math.max(0, undelivered - before.undelivered) : undelivered,
        alerts: alerts
          .filter(({ id, createdAt }) => id > before.alertId && Temporal.Instant.compare(createdAt, from) >= 0)
          .map(presentAlert)
      }
    }
  )
}
