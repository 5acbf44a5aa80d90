import { hash, randomUUID } from 'node:crypto'
import { isoOf } from '#kit/clock'
import { consumer, type StoredFact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type EventType, eventOfFact, PUBLIC_FACTS } from '../public-events.ts'
import {
  findDeliveriesOfFacts,
  insertDeliveries,
  lockEnabledEndpointsShared,
  type NewDelivery,
  type PublicFact
} from './insert-deliveries.ts'

/**
 * The consumer of public facts: makes one delivery of each for every enabled endpoint that accepts its event type. Facts
 * that are not public are left out, and so is what a repetition finds in the history.
 */
export async function queueDeliveries(
  ctx: Ctx,
  facts: StoredFact[],
  { isRepeat }: { isRepeat: boolean }
): Promise<void> {
  const wanted = deliveriesOf(facts, await lockEnabledEndpointsShared(ctx))
  await insertAll(ctx, isRepeat ? await withoutExisting(ctx, wanted) : wanted)
}

/** Public webhook events are one consumer of facts. */
export const webhooksConsumer = consumer('webhooks', PUBLIC_FACTS, queueDeliveries, { from: 'now' })

type Receiver = Awaited<ReturnType<typeof lockEnabledEndpointsShared>>[number]

/** The same for these endpoints only, which the caller has locked and which have no deliveries of these facts. */
export async function queueForEndpoints(ctx: Ctx, facts: StoredFact[], endpoints: Receiver[]): Promise<void> {
  await insertAll(ctx, deliveriesOf(facts, endpoints))
}

function deliveriesOf(facts: StoredFact[], endpoints: Receiver[]): NewDelivery[] {
  if (endpoints.length === 0) return []
  const events = facts.flatMap((fact) => {
    const type = eventOfFact(fact.name)
    return type === null ? [] : [{ ...fact, type, orderingKey: customerOf(fact), object: aboutOf(fact) }]
  })
  return events.flatMap((event) => {
    const accepting = endpoints.filter(({ events: types }) => types === null || types.includes(event.type))
    return accepting.map(({ id: endpointId, kind, webhookIdSeed }) => {
      const webhookId = webhookIdOf(event, webhookIdSeed)
      // The person at a listener sees the result at once and can send the delivery again.
      const maxTries = kind === 'listener' ? 1 : null
      return { endpointId, maxTries, webhookId, event }
    })
  })
}

async function insertAll(ctx: Ctx, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  const data = new Map(
    [...new Set(deliveries.map((d) => d.event))].map((event) => [event, JSON.parse(event.data) as unknown])
  )
  await insertDeliveries(ctx, deliveries, ({ event, webhookId }) => bodyOf(event, webhookId, data.get(event)))
}

/** The customer: facts that older code has recorded have their subscription as ordering key. */
const customerOf = ({ refs, orderingKey }: StoredFact) =>
  refs.memberId === undefined ? orderingKey : `member:${refs.memberId}`

/** What the history lists it under. */
const aboutOf = ({ refs, orderingKey }: StoredFact) =>
  refs.subscriptionId === undefined ? orderingKey : `subscription:${refs.subscriptionId}`

async function withoutExisting(ctx: Ctx, wanted: NewDelivery[]): Promise<NewDelivery[]> {
  if (wanted.length === 0) return []
  const existing = await findDeliveriesOfFacts(ctx, wanted)
  const keys = new Set(existing.map(({ factId, endpointId }) => `${factId} ${endpointId}`))
  return wanted.filter(({ event, endpointId }) => !keys.has(`${event.id} ${endpointId}`))
}

/**
 * The same for each repetition, so that a receiver knows it. The snapshot is part of it, since numbers of facts come again after
 * a restore from a backup; and the seed of the endpoint, since another installation may have the same facts.
 */
function webhookIdOf({ id, name, data, occurredAt }: PublicFact, seed: string): string {
  return `wh_${hash('sha256', `${seed} ${id} ${name} ${occurredAt} ${data}`).slice(0, 32)}`
}

/** The id of a delivery without a fact. */
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
