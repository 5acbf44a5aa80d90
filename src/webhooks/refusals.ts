import { Busy, invalidField, Refusal } from '#kit/refusal'
import { EVENT_TYPES } from './public-events.ts'

export const endpointNotFound = (id: string) =>
  new Refusal('not_found', `There is no webhook endpoint ${id.slice(0, 100)}`)

export const deliveryNotFound = (webhookId: string) =>
  new Refusal('not_found', `There is no webhook delivery ${webhookId.slice(0, 100)}`)

export const eventsRemoved = (start: number) =>
  invalidField(
    'since',
    `must be ${start} or more: events up to that sequence are no longer kept. Leave it out for the events that are`
  )

export const eventsNotYet = (end: number) =>
  invalidField(
    'since',
    `must be ${end} or less, the sequence up to which there are events. If the store was restored from a backup, read its events anew`
  )

export const unusableUrl = (problem: string) => invalidField('url', problem)

export const fixedListener = (id: string) =>
  new Refusal(
    'conflict',
    `Webhook endpoint ${id} is a listener (\`perennial listen\`) and cannot be changed: start another one`
  )

export const listenerClosed = (id: string) =>
  new Refusal('not_found', `There is no open listener ${id.slice(0, 100)}: it has been closed`)

export const clocksDiffer = () =>
  new Busy(
    "This node's clock differs from the database's by more than 30 seconds, and nothing is signed until they agree; repeat the request after the seconds in Retry-After"
  )

export const tooManyListeners = (max: number) =>
  new Refusal('conflict', `The store has ${max} listeners, and more are not possible: end one first`)

export const unknownHandle = () => invalidField('results', 'has a handle that was not given to this listener')

export const unclearResult = () => invalidField('results', 'has one without exactly one of response_code and failure')

export const unknownEventTypes = (field: 'event' | 'events', unknown: string[]) =>
  invalidField(
    field,
    `must be ${field === 'event' ? 'an event type' : 'event types'}: ${unknown.map((u) => `"${u}"`).join(', ')} is not one of ${EVENT_TYPES.join(', ')}`
  )

export const noEventTypes = () => invalidField('events', 'must name an event type, or be null to receive every type')

export const unusableDescription = () =>
  invalidField('description', 'must have at most 500 characters, without control characters')

export const unusableReason = () =>
  invalidField('reason', 'must have 1 to 200 characters, not all blank, without control characters')

export const unusableOverlap = (maxHours: number) =>
  invalidField('overlap', `must be a whole number of hours from 0 to ${maxHours}`)

export const unusableEventId = () => invalidField('event_id', 'must be the id of an event, such as evt_812')

export const unusableObject = () =>
  invalidField('object', 'must be the id of a subscription or a member, such as sub_12 or mem_3')

export const tooManyEndpoints = (max: number) =>
  new Refusal('conflict', `The store has ${max} webhook endpoints, and more are not possible: delete one first`)

export const endpointDisabled = (id: string, reason: string | null) =>
  new Refusal('conflict', `Webhook endpoint ${id} is disabled (${reason}): nothing is sent to it until it is enabled`)

export const endpointDeleted = (id: string) =>
  new Refusal('conflict', `Webhook endpoint ${id} is deleted: nothing is sent to it any more`)

export const noListener = (id: string) =>
  new Refusal('conflict', `Webhook endpoint ${id} is a listener that has been closed`)
