import type { webhooks } from '../openapi.ts'

/** Event types, such as `billing.failed`. */
export type EventType = keyof webhooks

type EventOf<Type extends EventType> = webhooks[Type]['post'] extends {
  requestBody: { content: { 'application/json': infer Event } }
}
  ? Event
  : never

/**
 * The body of a delivery, discriminated by `event`. The service may send types that this version does not know, so
 * ignore types that you do not handle.
 */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType]

/** The event of one type: `EventNamed<'billing.failed'>`. */
export type EventNamed<Type extends EventType> = EventOf<Type>
