import { isoOf } from '#kit/clock'
import type { Database } from '#kit/postgres'
import { listTroubledEndpoints, type TroubledEndpoint } from '#webhooks'
import type { Problem } from './problem.ts'

const MAX_URL = 80

/**
 * Receivers that fail, that the service disabled, and those that somebody disabled: the hundred that have failed longest, or with
 * `all` every one.
 */
export async function receiverProblems(
  db: Database,
  storeId: number | null,
  { domainOf, all }: { domainOf: (storeId: number) => string; all: boolean }
): Promise<Problem[]> {
  const endpoints = await listTroubledEndpoints(db, storeId, { all })
  return endpoints.map((endpoint) => problemOf(endpoint, domainOf(endpoint.storeId)))
}

function problemOf({ id, url, ...endpoint }: TroubledEndpoint, store: string): Problem {
  const { isDisabled, disabledReason, disabledAt, failingSince, undeliveredSince, lastError } = endpoint
  const name = `The endpoint ${id} (${url.length > MAX_URL ? `${url.slice(0, MAX_URL - 1)}…` : url})`
  const last = lastError === null ? '' : `; its last try failed: ${lastError}`
  if (!isDisabled) {
    return {
      kind: 'endpoint_failing',
      store,
      subject: id,
      since: failingSince,
      message: `${name} has accepted no delivery${last}`,
      next: `Fix the receiver. Its tries: perennial webhook deliveries --store ${store} --endpoint ${id}`
    }
  }
  const enable = `perennial webhook enable --store ${store} --id ${id}`
  if (failingSince === null) {
    const next = `To enable it: ${enable}`
    return {
      kind: 'endpoint_off',
      store,
      subject: id,
      since: disabledAt,
      message: `${name} is disabled: ${disabledReason}`,
      next
    }
  }
  const resend = `perennial webhook resend-failed --store ${store} --endpoint ${id} --since ${isoOf(earlier(failingSince, undeliveredSince))} --missed`
  return {
    kind: 'endpoint_disabled',
    store,
    subject: id,
    since: disabledAt,
    message: `${name} is disabled and gets nothing: ${disabledReason}${last}`,
    next: `When the receiver works: ${enable}, then ${resend}`
  }
}

/** A delivery may have failed before the last success, and not have been sent again. */
function earlier(failingSince: Temporal.Instant, undeliveredSince: Temporal.Instant | null): Temporal.Instant {
  return undeliveredSince && Temporal.Instant.compare(undeliveredSince, failingSince) < 0
    ? undeliveredSince
    : failingSince
}
