import { EVENT_TYPES } from '#kit/outbox'
import { invalidField, Refusal } from '#kit/refusal'

export const endpointNotFound = (id: string) => new Refusal('not_found', `There is no webhook endpoint ${id}`)

export const deliveryNotFound = (webhookId: string) =>
  new Refusal('not_found', `There is no webhook delivery ${webhookId}`)

export const unusableUrl = (problem: string) => invalidField('url', problem)

export const unknownEventTypes = (unknown: string[]) =>
  invalidField(
    'events',
    `takes event types, and ${unknown.map((u) => `"${u}"`).join(', ')} is none; there are ${EVENT_TYPES.join(', ')}`
  )

export const noEventTypes = () => invalidField('events', 'must name an event type; leave it out to hear of all')

export const unusableDescription = () =>
  invalidField('description', 'takes at most 500 characters, without control characters')
