export type { ApiResponse, Meta, RateLimit, ResponseFacts } from './api-response.ts'
export type { Call } from './call.ts'
export { type Client, createClient } from './client.ts'
export {
  ApiError,
  AuthenticationError,
  ConnectionError,
  type ErrorCode,
  type FieldProblem,
  ForbiddenError,
  InternalError,
  InvalidRequestError,
  NotFoundError,
  PerennialError,
  RateLimitedError,
  TimeoutError
} from './errors.ts'
export type { EventList, EventPage } from './event-list.ts'
export type { List, Paging } from './list.ts'
export type { CallOptions, ClientOptions } from './options.ts'
export { type CursorPage, type NumberedPage, type OffsetPage, pages, rowsOf } from './pages.ts'
export type { Timing } from './timing.ts'
export type {
  Activity,
  AnalyticsOverview,
  BillingAttempt,
  Customer,
  DeletedWebhookEndpoint,
  Member,
  StoreCredit,
  StoreCreditCode,
  StoreCreditEntry,
  StoreCreditGiftCard,
  StoreCreditReservation,
  StoredEvent,
  Subscription,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpoint,
  WebhookEndpointWithSecret
} from './types.ts'
export {
  type EventNamed,
  type EventType,
  type HeadersLike,
  type RawBody,
  type TestHeadersOptions,
  type VerificationFailure,
  type VerifyOptions,
  type WebhookEvent,
  WebhookVerificationError,
  webhooks
} from './webhooks/index.ts'
