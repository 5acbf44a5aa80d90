export { AnalyticsBody, PeriodBody } from './analytics.ts'
export { BillingAttemptBody, DeclineBody, PaymentMethodBody } from './billing-attempt.ts'
export { ContractOfferBody, OfferBody } from './contract-offer.ts'
export { CustomerBody, PersonBody } from './customer.ts'
export { EventBody } from './event.ts'
export { Changes } from './events/changes.ts'
export { defineEvent, type EventDefinition, type PayloadOf, type Shown } from './events/define-event.ts'
export { envelopeOf } from './events/envelope.ts'
export { exampleOf } from './example-of.ts'
export { Amount, OrNull, Timestamp } from './fields.ts'
export { LoyaltyEventBody } from './loyalty-event.ts'
export { MemberBody } from './member.ts'
export {
  CREDIT_ENTRY_TYPES,
  CreditBody,
  CreditCodeBody,
  CreditEntryBody,
  type CreditEntryType,
  CreditGiftCardBody,
  ReservationBody
} from './store-credit.ts'
export { type GiftBody, type PendingChangeBody, SubscriptionBody } from './subscription.ts'
export { WebhookDeliveryBody, WebhookDeliveryDetailBody } from './webhook-delivery.ts'
export { DeletedWebhookEndpointBody, WebhookEndpointBody, WebhookEndpointWithSecretBody } from './webhook-endpoint.ts'
