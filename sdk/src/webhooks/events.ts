import type { webhooks } from '../openapi.ts'

/** The types of events, such as `billing.failed`. */
export type EventType = keyof webhooks

type EventOf<Type extends EventType> = webhooks[Type]['post'] extends {
  requestBody: { content: { 'application/json': infer Event } }
}
  ? Event
  : never

/**
 * What a delivery holds, told apart by `event`. The service may come to send types that this version does not know, so
 * ignore what you do not handle.
 */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType]

/** The event of one type: `EventNamed<'billing.failed'>`. */
export type EventNamed<Type extends EventType> = EventOf<Type>
