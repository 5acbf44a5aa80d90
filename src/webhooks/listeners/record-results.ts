import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { listenerClosed, unclearResult } from '../refusals.ts'
import { type DeliveryResponse, failureOf } from '../sending/post-delivery.ts'
import { recordTries } from '../sending/record-tries.ts'
import { openHandle } from './delivery-handle.ts'
import { extendListener, knowsListener } from './listener-queries.ts'
import { LISTENER_RECORDING } from './listener-recording.ts'

/** Why the receiver behind a listener did not respond. */
export const NO_RESPONSE = ['timeout', 'dns', 'connect', 'tls', 'reset', 'protocol', 'other', 'interrupted'] as const

/** The result of a fetched delivery: a response code, or why there was none. */
export type ListenerResult = {
  handle: string
  durationMs: number
  responseCode: number | null
  failure: (typeof NO_RESPONSE)[number] | null
  /** The first bytes of the response. */
  responseText: string
}

/**
 * Records the results of a listener's deliveries, each once however often it is reported. What was recorded as interrupted
 * meanwhile stays interrupted. A closed listener can still report.
 */
export async function recordResults(
  db: Database,
  storeId: number,
  id: string,
  results: ListenerResult[],
  { vault }: { vault: Vault }
): Promise<void> {
  const endpointId = endpointIdOf(id)
  // Apart from the results, for the reason that fetchDeliveries has.
  await db.inStore(storeId, async (ctx) => {
    if (!((await extendListener(ctx, endpointId)) || (await knowsListener(ctx, endpointId)))) throw listenerClosed(id)
  })
  const tries = results.map((result) => {
    const { fetchedAt, ...delivery } = openHandle({ vault, storeId, endpointId }, result.handle)
    return { ...delivery, startedAtMs: fetchedAt.epochMilliseconds, response: answerOf(result) }
  })
  // A handle that one request names twice is one result too.
  const once = [...new Map(tries.map((t) => [t.id, t])).values()]
  await db.inStore(storeId, (ctx) => recordTries(ctx, once, LISTENER_RECORDING))
}

function answerOf({ durationMs, responseCode, failure, responseText }: ListenerResult): DeliveryResponse {
  if ((responseCode === null) === (failure === null)) throw unclearResult()
  return {
    durationMs,
    responseCode,
    failure: responseCode === null ? failure : failureOf(responseCode),
    responseText: responseCode === null ? '' : responseText
  }
}
