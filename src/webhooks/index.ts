export type { Delivery, DeliveryDetail } from './delivery/delivery.ts'
export { RETRY_SCHEDULE } from './delivery/delivery-retry-schedule.ts'
export { addEndpoint, checkNewEndpoint, createEndpoint } from './endpoints/create-endpoint.ts'
export { deleteEndpoint } from './endpoints/delete-endpoint.ts'
export type { Endpoint, WebhookSettings } from './endpoints/endpoint.ts'
export { findEndpoint, listEndpoints, listUrlEndpoints } from './endpoints/list-endpoints.ts'
export { endRoll, rollSecret } from './endpoints/roll-secret.ts'
export { setEndpointStatus } from './endpoints/set-endpoint-status.ts'
export { listTroubledEndpoints, type TroubledEndpoint } from './endpoints/troubled-endpoints.ts'
export { changeEndpoint, checkEndpointChanges, updateEndpoint } from './endpoints/update-endpoint.ts'
export { type LoggedEvent, listEvents } from './event-log/list-events.ts'
export { rollUpEventCounts } from './event-log/roll-up-event-counts.ts'
export { countUndelivered } from './history/count-undelivered.ts'
export { findDelivery, listDeliveries } from './history/list-deliveries.ts'
export { listEndpointDeliveries } from './history/list-endpoint-deliveries.ts'
export { maintainHistory } from './history/maintain-history.ts'
export { closeListener, closeSilentListeners, deleteForgottenListeners } from './listeners/close-listener.ts'
export { type FetchedDelivery, fetchDeliveries } from './listeners/fetch-deliveries.ts'
export { openListener } from './listeners/open-listener.ts'
export { NO_RESPONSE, recordResults } from './listeners/record-results.ts'
export {
  EVENT_SCHEMAS,
  EVENT_TYPES,
  EVENTS,
  type EventType,
  PUBLIC_FACTS
} from './public-events.ts'
export { queueDeliveries } from './queue/queue-deliveries.ts'
export { resendDelivery, resendFailed } from './queue/resend-deliveries.ts'
export { sampleOf } from './queue/sample-of.ts'
export { sendSample } from './queue/send-sample.ts'
export { triggerSample } from './queue/trigger-sample.ts'
export { deliveryNotFound } from './refusals.ts'
export { createDeliveryEngine, type DeliveryEngine } from './sending/delivery-engine.ts'
