import { randomUUID } from 'node:crypto'
import { isoOf } from '#kit/clock'
import type { StoredEvent } from '#kit/dispatch'
import type { Ctx } from '#kit/postgres'
import { insertDeliveries, lockEnabledEndpointsShared } from './insert-deliveries.ts'

/**
 * The fan-out: one delivery of each event for each enabled endpoint that wants to hear of its type. A consumer of the
 * dispatcher, so it happens once per event.
 */
export async function queueDeliveries(ctx: Ctx, events: StoredEvent[]): Promise<void> {
  const endpoints = await lockEnabledEndpointsShared(ctx)
  if (endpoints.length === 0) return

  const deliveries = events.flatMap((event) => {
    const listening = endpoints.filter(({ events: wanted }) => wanted === null || wanted.includes(event.type))
    return listening.map(({ id: endpointId, kind }) => {
      const webhookId = newWebhookId()
      // Whoever sits at a terminal sees at once how it went, and has it sent again by hand.
      const maxTries = kind === 'listener' ? 1 : null
      return { endpointId, maxTries, webhookId, event }
    })
  })
  if (deliveries.length === 0) return
  const data = new Map(
    [...new Set(deliveries.map((d) => d.event))].map((event) => [event, JSON.parse(event.data) as unknown])
  )
  await insertDeliveries(ctx, deliveries, ({ event, webhookId }) => bodyOf(event, webhookId, data.get(event)))
}

export function newWebhookId(): string {
  return `wh_${randomUUID().replaceAll('-', '')}`
}

/**
 * The envelope of spec 1, its keys in the contract's order. Made by stringify from a parsed value, whatever spacing the
 * event was stored with: so a receiver that parses and stringifies before it computes the signature gets these bytes.
 */
export function bodyOf(
  { type, occurredAt }: Pick<StoredEvent, 'type' | 'occurredAt'>,
  webhookId: string,
  data: unknown
): string {
  return JSON.stringify({ event: type, timestamp: isoOf(occurredAt), webhook_id: webhookId, data })
}
