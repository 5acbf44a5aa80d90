import { randomUUID } from 'node:crypto'
import { isoOf } from '#kit/clock'
import type { StoredFact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type EventType, eventOfFact } from '../public-events.ts'
import { insertDeliveries, lockEnabledEndpointsShared } from './insert-deliveries.ts'

/**
 * The consumer of public facts: makes one delivery of each for every enabled endpoint that accepts its event type. Facts
 * that are not public are left out.
 */
export async function queueDeliveries(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  const events = facts.flatMap((fact) => {
    const type = eventOfFact(fact.name)
    return type === null ? [] : [{ ...fact, type }]
  })
  const endpoints = await lockEnabledEndpointsShared(ctx)
  if (endpoints.length === 0) return

  const deliveries = events.flatMap((event) => {
    const accepting = endpoints.filter(({ events: wanted }) => wanted === null || wanted.includes(event.type))
    return accepting.map(({ id: endpointId, kind }) => {
      const webhookId = newWebhookId()
      // The person at a listener sees the result at once and can send the delivery again.
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
 * snapshot was stored with: so a receiver that parses and stringifies before it computes the signature gets these bytes.
 */
export function bodyOf(
  { type, occurredAt }: { type: EventType; occurredAt: Temporal.Instant },
  webhookId: string,
  data: unknown
): string {
  return JSON.stringify({ event: type, timestamp: isoOf(occurredAt), webhook_id: webhookId, data })
}
