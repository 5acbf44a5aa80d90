import type { components, operations } from './openapi.ts'
import type { EventNamed, EventType } from './webhooks/events.ts'

type Schemas = components['schemas']
export type Activity = Schemas['Activity']
export type AnalyticsOverview = Schemas['AnalyticsOverview']
export type BillingAttempt = Schemas['BillingAttempt']
export type Customer = Schemas['Customer']
export type LoyaltyEventResult = Schemas['LoyaltyEventResult']
export type Member = Schemas['Member']
export type StoreCredit = Schemas['StoreCredit']
export type StoreCreditCode = Schemas['StoreCreditCode']
export type StoreCreditGiftCard = Schemas['StoreCreditGiftCard']
export type StoreCreditReservation = Schemas['StoreCreditReservation']
export type StoreCreditEntry = Schemas['StoreCreditEntry']
export type Subscription = Schemas['Subscription']
export type DeletedWebhookEndpoint = Schemas['DeletedWebhookEndpoint']
export type WebhookDelivery = Schemas['WebhookDelivery']
export type WebhookDeliveryDetail = Schemas['WebhookDeliveryDetail']
export type WebhookEndpoint = Schemas['WebhookEndpoint']
export type WebhookEndpointWithSecret = Schemas['WebhookEndpointWithSecret']

/**
 * An event of the list, discriminated by `event`: a delivery's body without its `webhook_id`. `sequence` is the
 * `X-Svc-Sequence` of its deliveries.
 */
export type StoredEvent = {
  [Type in EventType]: Omit<EventNamed<Type>, 'webhook_id'> & Pick<Schemas['Event'], 'id' | 'sequence'>
}[EventType]

/** The query parameters of an operation. */
export type Query<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>

/** The body of an operation. */
export type Body<Name extends keyof operations> = operations[Name] extends {
  requestBody?: { content: { 'application/json': infer Taken } }
}
  ? Taken
  : never
