import type { Vault } from '#kit/secrets'
import { unknownHandle } from '../refusals.ts'
import type { FinishedTry } from '../sending/record-tries.ts'

/** What the service must know when a listener reports the result of a delivery. `fetchedAt` is store time. */
export type IssuedDelivery = Omit<FinishedTry, 'response' | 'startedAtMs'> & { fetchedAt: Temporal.Instant }

type ForWhom = { vault: Vault; storeId: number; endpointId: number }

/**
 * The name of a fetched delivery, with which its listener reports the result. It is sealed, since no process remembers who
 * fetched what, and a listener must not report results of deliveries that it did not fetch.
 */
export function sealHandle({ vault, ...whose }: ForWhom, delivery: IssuedDelivery): string {
  const { id, day, orderingKey, tries, triesBefore, maxTries, leaseToken, testClock, fetchedAt } = delivery
  const kept: Kept = [id, day, orderingKey, tries, triesBefore, maxTries, leaseToken, testClock, String(fetchedAt)]
  return vault.seal(purposeOf(whose), JSON.stringify(kept)).toString('base64url')
}

/** Refuses what was not sealed for this listener. */
export function openHandle({ vault, ...whose }: ForWhom, handle: string): IssuedDelivery {
  let text: string
  try {
    text = vault.open(purposeOf(whose), Buffer.from(handle, 'base64url'))
  } catch {
    throw unknownHandle()
  }
  const [id, day, orderingKey, tries, triesBefore, maxTries, leaseToken, testClock, fetchedAt] = JSON.parse(
    text
  ) as Kept
  return {
    id,
    day,
    endpointId: whose.endpointId,
    orderingKey,
    tries,
    triesBefore,
    maxTries,
    leaseToken,
    testClock,
    fetchedAt: Temporal.Instant.from(fetchedAt)
  }
}

type Kept = [
  id: number,
  day: string,
  orderingKey: string,
  tries: number,
  triesBefore: number,
  maxTries: number | null,
  leaseToken: number,
  testClock: boolean,
  fetchedAt: string
]

function purposeOf({ storeId, endpointId }: { storeId: number; endpointId: number }): string {
  return `webhook_listener.handle:${storeId}:${endpointId}`
}
