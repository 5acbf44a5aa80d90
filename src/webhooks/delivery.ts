import { publicId } from '#kit/ids'
import { instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

const delivery = {
  id: int,
  endpointId: int,
  webhookId: text,
  eventType: text,
  status: oneOf('waiting', 'retrying', 'delivered', 'failed', 'cancelled'),
  tries: int,
  nextTryAt: nullable(instant),
  createdAt: instant,
  finishedAt: nullable(instant),
  responseCode: nullable(int),
  durationMs: nullable(int),
  failure: nullable(text)
}
export const DeliveryRow = row(delivery)
export const DeliveryWithBodyRow = row({ ...delivery, body: text })

export const TryRow = row({
  tryNumber: int,
  startedAt: instant,
  durationMs: int,
  responseCode: nullable(int),
  failure: nullable(text),
  responseText: text
})

/** The contract's words (spec 1, States): what is not finished is retrying, whatever was given up is failed. */
export type DeliveryStatus = 'delivered' | 'retrying' | 'failed'

/** A delivery as its history shows it; response code, duration and failure are those of the last try. */
export type Delivery = {
  webhookId: string
  endpoint: string
  event: string
  status: DeliveryStatus
  /** Given up because the endpoint was disabled. */
  cancelled: boolean
  tries: number
  nextTryAt: Temporal.Instant | null
  createdAt: Temporal.Instant
  finishedAt: Temporal.Instant | null
  responseCode: number | null
  durationMs: number | null
  failure: string | null
}

export type DeliveryDetail = Delivery & { body: string; history: RowOf<typeof TryRow>[] }

const SHOWN = {
  waiting: 'retrying',
  retrying: 'retrying',
  delivered: 'delivered',
  failed: 'failed',
  cancelled: 'failed'
} as const satisfies Record<RowOf<typeof DeliveryRow>['status'], DeliveryStatus>

export function deliveryOf(found: RowOf<typeof DeliveryRow>): Delivery {
  const { webhookId, tries, nextTryAt, createdAt, finishedAt, responseCode, durationMs, failure } = found
  const endpoint = publicId('we', found.endpointId)
  const cancelled = found.status === 'cancelled'
  return {
    webhookId,
    endpoint,
    event: found.eventType,
    status: SHOWN[found.status],
    cancelled,
    tries,
    nextTryAt,
    createdAt,
    finishedAt,
    responseCode,
    durationMs,
    failure
  }
}
