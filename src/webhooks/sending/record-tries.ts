import type { Ctx } from '#kit/postgres'
import type { ClaimedRow } from '../delivery/claim-deliveries.ts'
import { nextTryAt, type RetrySchedule } from '../delivery/delivery-retry-schedule.ts'
import { releaseNextInOrder } from '../delivery/open-deliveries.ts'
import { insertLateTries, type SettledTry, settleTries } from '../delivery/settle-tries.ts'
import {
  countFailedDeliveries,
  type FailingEndpoint,
  lockEndpoints,
  lockFailing,
  markFailing
} from '../endpoints/endpoint-queries.ts'
import { DISABLE_AFTER, isGivenUp } from '../endpoints/failing-endpoints.ts'
import { disableEndpoints } from '../endpoints/set-endpoint-status.ts'
import type { DeliveryResponse } from './post-delivery.ts'

/** One try of one leased delivery; without a response it was never sent. */
export type FinishedTry = Pick<
  ClaimedRow,
  'id' | 'day' | 'endpointId' | 'orderingKey' | 'tries' | 'triesBefore' | 'maxTries' | 'leaseToken'
> & {
  testClock: boolean
  /** Left out for listeners, whose failures have no consequence. */
  isSample?: boolean
  /** Where it was sent: the response of this URL does not count for an endpoint that has another URL by now. */
  url?: string
} & ({ response: null } | { response: DeliveryResponse /** Store time, epoch. */; startedAtMs: number })

export type RecordOptions = { schedule: RetrySchedule }

type RespondedTry = Extract<FinishedTry, { startedAtMs: number }>

const GONE = 410

/**
 * Records tries: each try, the new state of its delivery, and the health of its endpoint. An endpoint that responds with 410,
 * or has failed for too long (`DISABLE_AFTER`), is disabled.
 */
export async function recordTries(ctx: Ctx, finished: FinishedTry[], { schedule }: RecordOptions): Promise<void> {
  const tries = finished.filter((f): f is RespondedTry => f.response !== null)
  if (tries.length === 0) return
  const relevant = tries.filter(saysHowEndpointIs)
  const last = new Map(relevant.map((t) => [t.endpointId, t]))
  const responded = endpointsOf(relevant.filter((t) => t.response.failure === null))
  const failing = endpointsOf([...last.values()].filter((t) => t.response.failure !== null))
  const settled = tries.map((t) => settle(t, schedule, ctx.now))
  const lost = tries.filter((t, i) => isLost(t, settled[i]!) && !responded.includes(t.endpointId))
  const respondedGone = tries.filter((t) => t.response.responseCode === GONE)

  // Endpoints are locked before their deliveries, here as everywhere, and all at once in the order of ids.
  const held = await lockFailing(ctx, endpointsOf([...respondedGone, ...lost]).concat(failing), {
    orFailing: responded
  })
  const endpoints = new Map(held.map((endpoint) => [endpoint.id, endpoint]))
  const gone = endpointsOf(
    respondedGone.filter((t) => t.url === undefined || t.url === endpoints.get(t.endpointId)?.url)
  )
  await lockEndpoints(ctx, [...new Set([...gone, ...willBeGivenUp(held, lost, ctx.now)])])
  if (failing.length > 0) await markFailing(ctx, failing, { responded })

  const well = responded.filter((id) => endpoints.get(id)?.failingSince && !failing.includes(id))
  const counted = await settleTries(ctx, settled, { well })
  const late = settled.filter((s) => !counted.has(s.id))
  if (late.length > 0) await insertLateTries(ctx, late)
  // It is not known whether an interrupted one was sent, so the later ones still wait for it.
  const keepsOrder = (s: SettledTry) => s.failure === 'interrupted' && s.nextTryAt !== null
  const firsts = tries.filter((t, i) => t.triesBefore === 0 && !keepsOrder(settled[i]!))
  if (firsts.length > 0) await releaseNextInOrder(ctx, firsts)

  if (gone.length > 0) await disableEndpoints(ctx, gone, 'The receiver answered 410 Gone')
  const lostNow = lost.filter((t) => counted.has(t.id))
  if (lostNow.length > 0) await disableGivenUp(ctx, lostNow)
}

/** Not one that was interrupted, nor a test, nor what somebody sends again after it had ended. */
function saysHowEndpointIs({ response, isSample, triesBefore }: RespondedTry): boolean {
  return response.failure !== 'interrupted' && !isSample && triesBefore === 0
}

/** Whether a delivery has used up its tries, by failures of its receiver. One that is sent again by hand was counted before. */
function isLost({ response, maxTries, triesBefore }: RespondedTry, { nextTryAt }: SettledTry): boolean {
  // A sample, and a delivery to a listener, has a number of tries of its own.
  if (response.failure === null || response.failure === 'interrupted' || maxTries !== null) return false
  return nextTryAt === null && triesBefore === 0
}

function countByEndpoint(lost: RespondedTry[]): Map<number, number> {
  const byEndpoint = Map.groupBy(lost, (t) => t.endpointId)
  return new Map([...byEndpoint].map(([id, tries]) => [id, tries.length]))
}

/** The endpoints that these lost deliveries are too many for. */
function willBeGivenUp(held: FailingEndpoint[], lost: RespondedTry[], now: Temporal.Instant): number[] {
  const counts = countByEndpoint(lost)
  const givenUp = held.filter(({ id, failingSince, failedDeliveries }) =>
    isGivenUp({ failingSince, failedDeliveries: failedDeliveries + (counts.get(id) ?? 0) }, now)
  )
  return givenUp.map(({ id }) => id).filter((id) => counts.has(id))
}

async function disableGivenUp(ctx: Ctx, lost: RespondedTry[]): Promise<void> {
  for (const endpoint of await countFailedDeliveries(ctx, countByEndpoint(lost))) {
    if (!isGivenUp(endpoint, ctx.now)) continue
    const reason = `No delivery has succeeded for ${DISABLE_AFTER.hours / 24} days, and ${endpoint.failedDeliveries} have used up all their tries`
    await disableEndpoints(ctx, [endpoint.id], reason)
  }
}

function settle(finished: RespondedTry, schedule: RetrySchedule, now: Temporal.Instant): SettledTry {
  const { id, day, leaseToken, startedAtMs, response, maxTries, tries, triesBefore } = finished
  const tryNumber = tries + 1
  const isDelivered = response.failure === null
  // Its outcome is not known, and nothing says that the receiver is unhealthy: it is repeated at once. Only the first of a
  // round, or a service that keeps crashing would use up all tries within seconds.
  const isFirstInterrupted = response.failure === 'interrupted' && tries === triesBefore
  const ladder = { ...schedule, maxTries: maxTries ?? schedule.maxTries }
  // Under a test clock the times are exactly the contract's; the load is spread in real time only.
  const spread = finished.testClock ? 0 : Math.random()
  const again = isDelivered ? null : nextTryAt(ladder, tryNumber - triesBefore, now, spread)
  const retryAt = again && isFirstInterrupted ? now : again
  return { id, day, leaseToken, tryNumber, nextTryAt: retryAt, startedAtMs, ...response }
}

function endpointsOf(tries: { endpointId: number }[]): number[] {
  return [...new Set(tries.map((t) => t.endpointId))]
}
