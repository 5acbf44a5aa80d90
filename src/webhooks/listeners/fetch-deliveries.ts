import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx, Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { objectOf } from '../delivery/delivery.ts'
import { releaseDeliveries } from '../delivery/open-deliveries.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { clocksDiffer, listenerClosed } from '../refusals.ts'
import { type LeasedDelivery, leaseDueDeliveries } from '../sending/lease-due-deliveries.ts'
import { recordTries } from '../sending/record-tries.ts'
import { deliveryHeaders } from '../signing/sign-delivery.ts'
import { sealHandle } from './delivery-handle.ts'
import { extendListener, ListenerState, listenerState, releaseLeases } from './listener-queries.ts'
import { LISTENER_RECORDING } from './listener-recording.ts'

/** A delivery that a listener posts to its receiver, and the handle with which it reports the result. */
export type FetchedDelivery = {
  webhookId: string
  event: string
  /** The subscription or member that it is about; null for a sample. */
  object: string | null
  test: boolean
  body: string
  headers: Record<string, string>
  handle: string
}

export type FetchOptions = {
  vault: Vault
  max: number
  /** How long to wait for something to become due, and what ends the wait earlier. */
  waitMs: number
  ending: AbortSignal
  /** The client has disconnected: nothing must be leased to it. */
  gone: AbortSignal
  /** Whether the clocks agree, as for the delivery engine; left out: they do. */
  maySign?: () => boolean
}

/** Each look is one cheap statement. */
const LOOK_EVERY_MS = 100

/**
 * What is due for a listener, leased to it for a minute; empty when nothing becomes due within the wait. Fetching keeps the
 * listener open. A delivery whose lease ended without a result is recorded as interrupted here. Refuses with 503 while something is
 * due and may not be signed.
 */
export async function fetchDeliveries(
  db: Database,
  storeId: number,
  id: string,
  options: FetchOptions
): Promise<FetchedDelivery[]> {
  const endpointId = endpointIdOf(id)
  const { ending, gone, maySign = () => true } = options
  const over = AbortSignal.any([ending, gone])
  const until = performance.now() + options.waitMs
  // In a transaction of its own: it must be visible at once, and nobody should wait for the row meanwhile.
  if (!(await db.inStore(storeId, (ctx) => extendListener(ctx, endpointId)))) throw listenerClosed(id)

  while (!over.aborted) {
    const state = await db.direct.maybeOne(ListenerState, listenerState(storeId, endpointId))
    if (!state?.listens) throw listenerClosed(id)
    if (state.due && !maySign()) throw clocksDiffer()
    const { taken, unsignable } = state.due
      ? await db.inStore(storeId, (ctx) => take(ctx, endpointId, options))
      : { taken: [], unsignable: [] }
    if (unsignable.length > 0) await db.inStore(storeId, (ctx) => recordTries(ctx, unsignable, LISTENER_RECORDING))
    if (gone.aborted && taken.length > 0) await db.inStore(storeId, (ctx) => releaseDeliveries(ctx, taken))
    else if (taken.length > 0) return taken.map((t) => t.fetched)
    const leftMs = until - performance.now()
    if (leftMs <= 0) break
    await sleep(Math.min(LOOK_EVERY_MS, leftMs))
  }
  return []
}

async function take(ctx: Ctx, endpointId: number, { vault, max }: FetchOptions) {
  const { taken, unsignable } = await leaseDueDeliveries(ctx, {
    ...LISTENER_RECORDING,
    vault,
    // It has no owner, and is removed before anyone sees it.
    leaseOwner: 0,
    quotas: {
      endpoints: new Map([[endpointId, { pace: 'unknown', deliveries: max, retries: 0 }]]),
      elsewhere: 0,
      paces: [{ pace: 'unknown', deliveries: max, retries: 0, after: 0 }]
    },
    listener: endpointId
  })
  await releaseLeases(
    ctx,
    taken.map((t) => t.id)
  )
  const fetched = taken.map((delivery) => ({
    id: delivery.id,
    leaseToken: delivery.leaseToken,
    fetched: fetchedOf(ctx, delivery, vault)
  }))
  return { taken: fetched, unsignable }
}

function fetchedOf({ storeId, now, realNowMs }: Ctx, delivery: LeasedDelivery, vault: Vault): FetchedDelivery {
  const { webhookId, body, object, isSample, endpointId } = delivery
  const flat = deliveryHeaders(delivery, Buffer.from(body), realNowMs)
  return {
    webhookId,
    event: (JSON.parse(body) as { event: string }).event,
    object: objectOf(object),
    test: isSample,
    body,
    headers: Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]!]] : []))),
    handle: sealHandle({ vault, storeId, endpointId }, { ...delivery, fetchedAt: now })
  }
}
