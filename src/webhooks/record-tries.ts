import type { Ctx } from '#kit/postgres'
import { type SettledTry, settleTries } from './delivery-queries.ts'
import { markAnswering, markFailing } from './endpoint-queries.ts'
import type { Answer } from './post-delivery.ts'
import { nextTryAt, type RetrySchedule } from './retry-schedule.ts'
import { disableEndpoints } from './set-endpoint-status.ts'

/** One try of one leased delivery; without an answer it was never sent, or cut off uncounted. */
export type FinishedTry = {
  id: number
  endpointId: number
  tries: number
  leaseToken: number
  testClock: boolean
} & ({ answer: null } | { answer: Answer; startedAt: Temporal.Instant })

type AnsweredTry = Extract<FinishedTry, { startedAt: Temporal.Instant }>

const GONE = 410

/**
 * Writes down how tries went: each try, what becomes of its delivery, and what they tell of their endpoints. One that
 * answers 410, or has failed for too long, is disabled.
 */
export async function recordTries(
  ctx: Ctx,
  finished: FinishedTry[],
  { schedule, disableAfterHours }: { schedule: RetrySchedule; disableAfterHours: number }
): Promise<void> {
  const tries = finished.filter((f): f is AnsweredTry => f.answer !== null)
  if (tries.length === 0) return
  await settleTries(
    ctx,
    tries.map((t) => settle(t, schedule, ctx.now))
  )

  const answering = endpointsOf(tries.filter((t) => t.answer.failure === null))
  if (answering.length > 0) await markAnswering(ctx, answering)

  const last = new Map(tries.map((t) => [t.endpointId, t]))
  const failing = endpointsOf([...last.values()].filter((t) => t.answer.failure !== null))
  if (failing.length === 0) return
  const givenUp = await markFailing(ctx, failing, ctx.now.subtract({ hours: disableAfterHours }))
  const gone = endpointsOf(tries.filter((t) => t.answer.responseCode === GONE))
  if (gone.length > 0) await disableEndpoints(ctx, gone, 'The receiver answered 410 Gone')
  if (givenUp.length > 0) {
    await disableEndpoints(ctx, givenUp, `Every try has failed for ${disableAfterHours / 24} days`)
  }
}

function settle(finished: AnsweredTry, schedule: RetrySchedule, now: Temporal.Instant): SettledTry {
  const { id, leaseToken, startedAt, answer } = finished
  const tryNumber = finished.tries + 1
  // A test clock shows the contract's times to the second; spreading the load is for real time.
  const spread = finished.testClock ? 0 : Math.random()
  const retryAt = answer.failure === null ? null : nextTryAt(schedule, tryNumber, now, spread)
  const status = answer.failure === null ? 'delivered' : retryAt === null ? 'failed' : 'retrying'
  return { id, leaseToken, tryNumber, status, nextTryAt: retryAt, startedAt, ...answer }
}

function endpointsOf(tries: { endpointId: number }[]): number[] {
  return [...new Set(tries.map((t) => t.endpointId))]
}
