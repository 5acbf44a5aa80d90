import type { Ctx, Database } from '#kit/postgres'
import { type DeliveryDetail, isWebhookId } from '../delivery/delivery.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { findEndpointRow } from '../endpoints/endpoint-queries.ts'
import { findDeliveryRow } from '../history/history-queries.ts'
import { findDelivery } from '../history/list-deliveries.ts'
import { deliveryNotFound, endpointNotFound } from '../refusals.ts'
import {
  countUnsendable,
  expediteDelivery,
  lockDelivery,
  lockOpenEndpointsShared,
  lockUndelivered,
  reopenDeliveries
} from './redelivery-queries.ts'
import { refuseUnsendable } from './refuse-unsendable.ts'

/**
 * Sends a delivery again, with the same webhook_id and body. A finished one begins a new round of the retry schedule; one that
 * waits for a retry is tried now; one that is being sent now stays as it is.
 */
export async function resendDelivery(ctx: Ctx, webhookId: string): Promise<DeliveryDetail> {
  const found = isWebhookId(webhookId) ? await findDeliveryRow(ctx, webhookId) : null
  if (!found) throw deliveryNotFound(webhookId)
  // The order of locks everywhere: the endpoint, the row in the queue, the delivery.
  await refuseUnsendable(ctx, found.endpointId)
  if (!(await expediteDelivery(ctx, found.id)) && !(await openAgain(ctx, found))) throw deliveryNotFound(webhookId)

  return (await findDelivery(ctx, webhookId))!
}

/** Opens a finished delivery again, or expedites one that another request has opened meanwhile; false when its day was dropped. */
export async function openAgain(ctx: Ctx, found: { day: Temporal.PlainDate; id: number }): Promise<boolean> {
  await lockDelivery(ctx, found)
  const reopened = async () => (await reopenDeliveries(ctx, [found])) > 0
  // The second time counts when it left the queue just then: nobody else can open it while it is locked here.
  return (await reopened()) || (await expediteDelivery(ctx, found.id)) || (await reopened())
}

const CHUNK = 2000

/** How many are sent again, and how many are not because their endpoint is disabled or deleted. */
export type Resent = { resent: number; skipped: number }

/**
 * Sends again what became undelivered since a time (store time), except samples; of one endpoint, or of all that are
 * enabled. In transactions of a few thousand each, so repeating it after a failure continues where it stopped.
 */
export async function resendFailed(
  db: Database,
  storeId: number,
  { since, endpoint }: { since: Temporal.Instant; endpoint?: string }
): Promise<Resent> {
  const onlyId = endpoint === undefined ? null : endpointIdOf(endpoint)
  if (onlyId !== null) {
    await db.inStore(storeId, async (ctx) => {
      if (!(await findEndpointRow(ctx, onlyId))) throw endpointNotFound(endpoint!)
      await refuseUnsendable(ctx, onlyId)
    })
  }

  let resent = 0
  let after: { day: Temporal.PlainDate; id: number } | undefined = { day: Temporal.PlainDate.from('0001-01-01'), id: 0 }
  // Forward only: what fails again meanwhile is not sent a second time.
  while (after) {
    const from: { day: Temporal.PlainDate; id: number } = after
    const chunk = await db.inStore(storeId, async (ctx) => {
      const endpointIds = await lockOpenEndpointsShared(ctx, onlyId)
      const held = await lockUndelivered(ctx, { endpointIds, since, after: from, limit: CHUNK })
      return { last: held.at(-1), reopened: held.length > 0 ? await reopenDeliveries(ctx, held) : 0 }
    })
    resent += chunk.reopened
    after = chunk.last
  }

  const skipped = await db.inStore(storeId, async (ctx) =>
    countUnsendable(ctx, { endpointIds: await lockOpenEndpointsShared(ctx, onlyId), onlyId, since })
  )
  return { resent, skipped }
}
