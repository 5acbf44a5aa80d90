import type { Ctx, Database } from '#kit/postgres'
import { cancelOpenDeliveries } from '../delivery/open-deliveries.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { listenerClosed } from '../refusals.ts'
import { INTERRUPTED } from '../sending/post-delivery.ts'
import { recordTries } from '../sending/record-tries.ts'
import { deleteForgotten, listSilent, listStarted, markClosed } from './listener-queries.ts'
import { LISTENER_RECORDING } from './listener-recording.ts'

/** Closes a listener. What it has fetched was interrupted; what waits for it is cancelled. */
export async function closeListener(ctx: Ctx, id: string): Promise<void> {
  if (!(await close(ctx, endpointIdOf(id), { silentOnly: false }))) throw listenerClosed(id)
}

/** Closes listeners that have not fetched for a minute: the command has ended. */
export async function closeSilentListeners(db: Database): Promise<void> {
  for (const { storeId, id } of await db.inInstallation(listSilent)) {
    await db.inStore(storeId, (ctx) => close(ctx, id, { silentOnly: true }))
  }
}

/** Removes closed listeners that no history names any more. */
export async function deleteForgottenListeners(db: Database): Promise<void> {
  await db.inInstallation(deleteForgotten)
}

async function close(ctx: Ctx, endpointId: number, which: { silentOnly: boolean }): Promise<boolean> {
  if (!(await markClosed(ctx, endpointId, which))) return false
  const interrupted = (await listStarted(ctx, endpointId)).map((delivery) => ({
    ...delivery,
    testClock: true,
    response: INTERRUPTED,
    startedAtMs: (delivery.startedAt ?? ctx.now).epochMilliseconds
  }))
  await recordTries(ctx, interrupted, LISTENER_RECORDING)
  await cancelOpenDeliveries(ctx, [endpointId])
  return true
}
