import { publicId } from '#kit/ids'
import { bool, day, instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

const delivery = {
  id: int,
  day,
  endpointId: int,
  endpointKind: oneOf('url', 'listener'),
  webhookId: text,
  eventType: text,
  object: text,
  /** The fact that it reports, and the number of its event; null for a sample. */
  factId: nullable(int),
  sequence: nullable(int),
  isSample: bool,
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
  /** Of a try that was interrupted: when it was taken from the queue to be sent. */
  startedAt: instant,
  /** Until the response, or until there could be none; null: interrupted. */
  durationMs: nullable(int),
  responseCode: nullable(int),
  failure: nullable(text),
  responseText: text
})

/** The statuses of the contract (spec 1, States): an open delivery is retrying, an undelivered one is failed. */
export type DeliveryStatus = 'delivered' | 'retrying' | 'failed'

/** What a sample is about, and its ordering key in the queue: nothing that exists. */
export const SAMPLE_OBJECT = 'sample'

/** Whether the text has the form of a webhook_id; another one names no delivery. */
export const isWebhookId = (text: string) => /^wh_[0-9a-f]{32}$/.test(text)

/** A delivery as its history shows it; response code, duration and failure are those of the last try. */
export type Delivery = {
  webhookId: string
  endpoint: string
  /** `listener`: the receiver is a command (`perennial listen`) that fetches its deliveries. */
  endpointKind: 'url' | 'listener'
  event: string
  /** The subscription or member that it is about; null for a sample. */
  object: string | null
  /** The event that it reports, and its `X-Svc-Sequence`; null for a sample. */
  eventId: string | null
  sequence: number | null
  /** A test send. */
  test: boolean
  status: DeliveryStatus
  /** Cancelled because the endpoint was disabled. */
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
  return {
    webhookId,
    endpoint: publicId('we', found.endpointId),
    endpointKind: found.endpointKind,
    event: found.eventType,
    object: objectOf(found.object),
    eventId: found.factId === null ? null : publicId('evt', found.factId),
    sequence: found.sequence,
    test: found.isSample,
    status: SHOWN[found.status],
    cancelled: found.status === 'cancelled',
    tries,
    nextTryAt,
    createdAt,
    finishedAt,
    responseCode,
    durationMs,
    failure
  }
}

const PREFIXES = { subscription: 'sub', member: 'mem' } as const

/** `subscription:12` as the public `sub_12`. */
export function objectOf(key: string): string | null {
  const [kind, id] = key.split(':')
  return kind === 'subscription' || kind === 'member' ? publicId(PREFIXES[kind], Number(id)) : null
}
